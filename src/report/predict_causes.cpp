#include "report/predict_causes.hpp"

#include "policy/kernel_names.hpp"
#include "policy/subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace cag {
namespace {

template <class Visit>
void each_outcome(const PredictionRun& run, Visit visit) {
    for (const FilePrediction& file : run.prediction.files) {
        for (const ModulePrediction& module : file.modules) {
            for (const Outcome& outcome : module.outcomes) {
                visit(std::pair(file.file, module.module), outcome);
            }
        }
    }
}

std::vector<Cause> causes_of(const PredictionRun& run, OutcomeKind kind) {
    std::vector<Cause> causes;
    std::map<std::string, std::size_t> known;
    each_outcome(run, [&](const auto& place, const Outcome& outcome) {
        if (outcome.kind != kind) {
            return;
        }
        const std::string key = fmt::format("{}|{}", outcome.error ? outcome.error->code : 0, fmt::join(outcome.fixes, "|"));
        const auto [entry, is_new] = known.try_emplace(key, causes.size());
        if (is_new) {
            Cause cause;
            cause.example = &outcome;
            cause.runs = {&run};
            cause.fixes = {{outcome.fixes, {&run}}};
            causes.push_back(std::move(cause));
        }
        Cause& cause = causes[entry->second];
        cause.modules.insert(place);
        cause.kernels.push_back(outcome.kernel);
        cause.confidence = std::max(cause.confidence, outcome.confidence);
        cause.same_reasons = cause.same_reasons && outcome.reasons == cause.example->reasons;
    });
    for (Cause& cause : causes) {
        std::sort(cause.kernels.begin(), cause.kernels.end());
    }
    return causes;
}

bool is_same(const Cause& left, const Cause& right) {
    const auto code = [](const Cause& cause) { return cause.example->error ? cause.example->error->code : 0; };
    return code(left) == code(right) && left.example->rules == right.example->rules && left.modules == right.modules &&
           left.kernels == right.kernels && left.example->environment == right.example->environment;
}

// The source file of every image in these modules, where it is recorded and one.
std::string common_source(const Coverage& coverage, const std::set<std::pair<std::size_t, std::size_t>>& modules) {
    std::string source;
    for (const auto& [file, module] : modules) {
        for (const Image& image : coverage.files[file].modules[module].images) {
            if (image.source.empty() || (!source.empty() && image.source != source)) {
                return "";
            }
            source = image.source;
        }
    }
    return source;
}

std::string modules_text(const Coverage& coverage, const std::set<std::pair<std::size_t, std::size_t>>& modules) {
    std::set<std::size_t> files;
    std::vector<std::size_t> numbers;
    for (const auto& [file, module] : modules) {
        files.insert(file);
        numbers.push_back(module);
    }
    if (files.size() > 1) {
        return fmt::format("{} of {}", counted(modules.size(), "module"), counted(files.size(), "file"));
    }
    return fmt::format("{} {} of {}", numbers.size() == 1 ? "module" : "modules", ranges(numbers),
                       display_name(coverage.files[*files.begin()]));
}

std::string environment_text(const Environment& environment) {
    std::string text;
    for (const auto& [name, value] : environment) {
        text += fmt::format(" {}={}", name, value);
    }
    return text.empty() ? "" : ", with" + text;
}

// The kernels' names, unless all are meant.
std::string names_text(const std::vector<std::string>& kernels) {
    const bool named = std::none_of(kernels.begin(), kernels.end(), [](const std::string& name) { return name.empty(); });
    return named ? ": " + list_kernels(kernels) : "";
}

std::string fixes_text(const ToldCause& told, const Style& style) {
    std::string text;
    for (const auto& [whose, fixes] : told.fixes) {
        if (!whose.empty()) {
            text += wrapped(style, "    fix for ", printable(whose + ":"));
        }
        for (std::size_t i = 0; i < fixes.size(); ++i) {
            text += wrapped(style, i == 0 && whose.empty() ? "    fix: " : "         ", printable(fixes[i]));
        }
    }
    return text;
}

} // namespace

std::vector<Cause> causes_of(const std::vector<PredictionRun>& runs, OutcomeKind kind) {
    std::vector<Cause> causes;
    for (const PredictionRun& run : runs) {
        for (Cause& cause : causes_of(run, kind)) {
            const auto known = std::find_if(causes.begin(), causes.end(), [&](const Cause& other) { return is_same(other, cause); });
            if (known == causes.end()) {
                causes.push_back(std::move(cause));
                continue;
            }
            known->runs.push_back(&run);
            known->same_reasons = known->same_reasons && cause.same_reasons;
            known->confidence = std::max(known->confidence, cause.confidence);
            const auto& fixes = cause.fixes.front().first;
            const auto same =
                std::find_if(known->fixes.begin(), known->fixes.end(), [&](const auto& entry) { return entry.first == fixes; });
            if (same == known->fixes.end()) {
                known->fixes.push_back({fixes, {&run}});
            } else {
                same->second.push_back(&run);
            }
        }
    }
    return causes;
}

std::vector<Warning> warnings_of(const std::vector<PredictionRun>& runs) {
    std::vector<Warning> warnings;
    std::map<std::string, std::size_t> known;
    for (const PredictionRun& run : runs) {
        each_outcome(run, [&](const auto& place, const Outcome& outcome) {
            for (const std::string& text : outcome.warnings) {
                const auto [entry, is_new] = known.try_emplace(text, warnings.size());
                if (is_new) {
                    warnings.push_back({text, {}, {}, {}});
                }
                Warning& warning = warnings[entry->second];
                if (warning.runs.empty() || warning.runs.back() != &run) {
                    warning.runs.push_back(&run);
                }
                warning.modules.insert(place);
                if (warning.runs.front() == &run) {
                    warning.kernels.push_back(outcome.kernel);
                }
            }
        });
    }
    return warnings;
}

std::uint64_t ptx_to_compile(const PredictionRun& run) {
    std::uint64_t bytes = 0;
    for (const FilePrediction& file : run.prediction.files) {
        bytes += file.ptx_to_compile;
    }
    return bytes;
}

std::string gpu_text(const Gpu& gpu) {
    const std::string capability = to_string(gpu.capability);
    return gpu.name.empty() ? capability : fmt::format("{} ({})", gpu.name, capability);
}

std::string pairs_text(const Runs& runs) {
    using Names = std::vector<std::string>;
    const auto entry_of = [](auto& list, const auto& key) -> auto& {
        const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == key; });
        return found == list.end() ? list.emplace_back(key, Names{}).second : found->second;
    };
    std::vector<std::pair<std::string, Names>> drivers_of_gpu;
    for (const PredictionRun* run : runs) {
        entry_of(drivers_of_gpu, gpu_text(run->gpu)).push_back(run->driver.name);
    }
    std::vector<std::pair<Names, Names>> gpus_of_drivers;
    for (const auto& [gpu, drivers] : drivers_of_gpu) {
        entry_of(gpus_of_drivers, drivers).push_back(gpu);
    }
    std::vector<std::string> texts;
    for (const auto& [drivers, gpus] : gpus_of_drivers) {
        texts.push_back(fmt::format("{} with driver {}", fmt::join(gpus, ", "), fmt::join(drivers, ", ")));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string extent_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const std::vector<std::string>& kernels,
                        const std::set<std::pair<std::size_t, std::size_t>>& modules) {
    std::size_t all = 0;
    each_outcome(runs.front(), [&](const auto&, const Outcome&) { ++all; });
    const bool named = std::none_of(kernels.begin(), kernels.end(), [](const std::string& name) { return name.empty(); });
    const std::string how_many = !named                  ? "all kernels"
                                 : kernels.size() == all ? fmt::format("all {}", counted(all, "kernel"))
                                                         : fmt::format("{} of {}", kernels.size(), counted(all, "kernel"));
    const std::string source = common_source(coverage, modules);
    return fmt::format("{}, in {}{}", how_many, modules_text(coverage, modules), source.empty() ? "" : ", all from " + source);
}

ToldCause tell(const Coverage& coverage, const std::vector<PredictionRun>& runs, const Cause& cause) {
    const Outcome& outcome = *cause.example;
    ToldCause told;
    told.what = outcome.error                          ? fmt::format("error {}, {}", outcome.error->code, outcome.error->name)
                : outcome.kind == OutcomeKind::unknown ? "not known"
                                                       : "fails";
    told.where = pairs_text(cause.runs) + environment_text(outcome.environment);
    told.extent = extent_text(coverage, runs, cause.kernels, cause.modules) + names_text(cause.kernels);
    std::vector<std::string> whose;
    if (cause.runs.size() > 1) {
        whose.push_back(fmt::format("{} with {}", to_string(outcome.gpu.capability), outcome.driver.name));
    }
    if (!cause.same_reasons) {
        whose.push_back(fmt::format("module {}", cause.modules.begin()->second));
    }
    told.reasons_of = fmt::format("{}", fmt::join(whose, ", "));
    told.reasons = outcome.reasons;
    for (const auto& [fixes, runs_of_fixes] : cause.fixes) {
        if (!fixes.empty()) {
            told.fixes.emplace_back(cause.fixes.size() > 1 ? pairs_text(runs_of_fixes) : "", fixes);
        }
    }
    return told;
}

std::string cause_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const Cause& cause, const Style& style) {
    const ToldCause told = tell(coverage, runs, cause);
    const Mark& mark = cause.example->kind == OutcomeKind::fails ? marks::fails : marks::unknown;
    std::string text = wrapped(style, fmt::format("{} ", mark.painted(style)), printable(fmt::format("{}: {}", told.what, told.where)));
    text += wrapped(style, "    ", printable(told.extent));
    for (const std::string& reason : told.reasons) {
        text += wrapped(style, told.reasons_of.empty() ? "    why: " : fmt::format("    why, {}: ", told.reasons_of), printable(reason));
    }
    return text + fixes_text(told, style) + fmt::format("    ({})\n\n", to_string(cause.confidence));
}

std::string problems_text(const Coverage& coverage, const Style& style) {
    std::string problems;
    for (const FileCoverage& file : coverage.files) {
        for (const Problem& problem : file.problems) {
            problems += wrapped(style, fmt::format("{} {} ", marks::fails.painted(style), problem.code),
                                printable(fmt::format("{}: {}", display_name(file), problem.message)));
        }
    }
    return problems + (problems.empty() ? "" : "\n");
}

} // namespace cag
