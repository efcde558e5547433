#include "policy/parse.hpp"

#include "compat/spec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

// `90-virtual` or `compute_90` cannot be meant where SASS is asked for, nor `sm_90` where PTX is.
bool names_other_code(const std::string& item, Code wanted) {
    const bool ptx = item.ends_with("-virtual") || item.starts_with("compute_");
    const bool sass = item.ends_with("-real") || item.starts_with("sm_");
    return wanted == Code::sass ? ptx : sass;
}

Result<void> add_archs(const std::vector<std::string>& values, Code code, Scope scope, std::vector<Requirement>& requirements) {
    for (const std::string& value : values) {
        for (const std::string& item : split_list(value)) {
            const auto archs = parse_archs(item, code);
            if (!archs) {
                return tl::unexpected(archs.error());
            }
            for (const Arch arch : *archs) {
                Requirement requirement;
                requirement.kind = code == Code::sass ? Requirement::Kind::sass : Requirement::Kind::ptx;
                requirement.text = to_string(arch);
                requirement.arch = arch;
                requirement.scope = scope;
                requirements.push_back(std::move(requirement));
            }
        }
    }
    return {};
}

Result<std::vector<std::optional<Driver>>> drivers_of(const std::vector<std::string>& values) {
    std::vector<std::optional<Driver>> drivers;
    for (const std::string& value : values) {
        for (const std::string& item : split_list(value)) {
            const auto driver = parse_driver(item);
            if (!driver) {
                return tl::unexpected(driver.error());
            }
            drivers.emplace_back(*driver);
        }
    }
    if (drivers.empty()) {
        drivers.emplace_back(std::nullopt);
    }
    return drivers;
}

} // namespace

// `86` asks for SASS and PTX at once and `8.6` for SASS: here the option says which of them is meant.
Result<std::vector<Arch>> parse_archs(const std::string& item, Code wanted) {
    if (names_other_code(item, wanted)) {
        return failure("CAG501",
                       fmt::format("expected an architecture for {0}, found `{1}`, which names {2}; write the bare number, as in {3} 90",
                                   wanted == Code::sass ? "SASS" : "PTX", item, wanted == Code::sass ? "PTX" : "SASS",
                                   wanted == Code::sass ? "--require-sass" : "--require-ptx"));
    }
    const auto list = parse_arch_list(item);
    if (!list) {
        return tl::unexpected(list.error());
    }
    std::vector<Arch> archs;
    std::vector<Arch> others;
    for (const Target& target : list->targets) {
        (target.code == wanted ? archs : others).push_back(target.arch);
    }
    return archs.empty() ? others : archs;
}

std::vector<std::string> split_list(const std::string& text) {
    static constexpr std::string_view blanks = " \t\n";
    std::vector<std::string> items;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find_first_of(",;", begin), text.size());
        const std::string_view item = std::string_view{text}.substr(begin, end - begin);
        if (const auto first = item.find_first_not_of(blanks); first != std::string_view::npos) {
            items.emplace_back(item.substr(first, item.find_last_not_of(blanks) - first + 1));
        }
        begin = end + 1;
    }
    return items;
}

Result<Environment> parse_environment(const std::vector<std::string>& assignments) {
    Environment environment;
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0) {
            return failure("CAG505", fmt::format("expected NAME=VALUE for --env, found `{}`; the value may be empty, as in "
                                                 "--env CUDA_VISIBLE_DEVICES=",
                                                 assignment));
        }
        environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    }
    return environment;
}

Result<std::vector<Requirement>> parse_requirements(const RequirementTexts& texts) {
    std::vector<Requirement> requirements;
    if (auto done = add_archs(texts.sass, Code::sass, texts.scope, requirements); !done) {
        return tl::unexpected(done.error());
    }
    if (auto done = add_archs(texts.ptx, Code::ptx, texts.scope, requirements); !done) {
        return tl::unexpected(done.error());
    }
    const auto drivers = drivers_of(texts.drivers);
    if (!drivers) {
        return tl::unexpected(drivers.error());
    }
    for (const std::string& value : texts.runs_on) {
        for (const std::string& item : split_list(value)) {
            const auto gpu = parse_gpu(item);
            if (!gpu) {
                return tl::unexpected(gpu.error());
            }
            for (const auto& driver : *drivers) {
                Requirement requirement;
                requirement.kind = Requirement::Kind::runs_on;
                requirement.text = item;
                requirement.gpu = *gpu;
                requirement.driver = driver;
                requirement.environment = texts.environment;
                requirement.jit_allowed = texts.jit_allowed;
                requirement.scope = texts.scope;
                requirements.push_back(std::move(requirement));
            }
        }
    }
    return requirements;
}

namespace {

std::string what_is_required(const Requirement& requirement) {
    switch (requirement.kind) {
    case Requirement::Kind::sass:
        return "--require-sass " + requirement.text;
    case Requirement::Kind::ptx:
        return "--require-ptx " + requirement.text;
    case Requirement::Kind::runs_on:
        return fmt::format("--runs-on {}{}{}", requirement.text, requirement.driver ? " --driver " + requirement.driver->name : "",
                           requirement.jit_allowed ? "" : " --no-jit");
    case Requirement::Kind::max_bytes:
        return "at most " + requirement.text;
    case Requirement::Kind::present:
        return "files present";
    case Requirement::Kind::claims:
        return "--claims";
    case Requirement::Kind::no_debug:
    case Requirement::Kind::no_ltoir_only:
    case Requirement::Kind::no_arch:
        break;
    }
    return "no " + requirement.text;
}

} // namespace

std::string to_string(const Requirement& requirement) {
    return what_is_required(requirement) + (requirement.scope == Scope::any ? " --scope any" : "") +
           (requirement.files.empty() ? "" : fmt::format(" ({})", requirement.files));
}

} // namespace cag
