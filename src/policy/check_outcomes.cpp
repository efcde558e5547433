// --runs-on: the outcomes that predict() gives, held against the requirement.
#include "policy/checks.hpp"
#include "policy/fixes.hpp"
#include "policy/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

namespace cag {
namespace {

bool holds(const Outcome& outcome, const Requirement& requirement) {
    return outcome.kind == OutcomeKind::sass || (outcome.kind == OutcomeKind::jit && requirement.jit_allowed);
}

std::vector<const Outcome*> outcomes_of(const Subject& subject, const FilePrediction& prediction) {
    std::vector<const Outcome*> outcomes;
    for (const ModulePrediction& module : prediction.modules) {
        if (std::find(subject.modules.begin(), subject.modules.end(), module.module) != subject.modules.end()) {
            for (const Outcome& outcome : module.outcomes) {
                outcomes.push_back(&outcome);
            }
        }
    }
    return outcomes;
}

bool decided_by(const Outcome& outcome, int rule) {
    return std::find(outcome.rules.begin(), outcome.rules.end(), rule) != outcome.rules.end();
}

// Which diagnostic a failing outcome is: the driver's fault, or a missing image.
const char* code_of(const Outcome& outcome) {
    if (outcome.kind == OutcomeKind::unknown) {
        return "CAG107";
    }
    if (outcome.kind != OutcomeKind::fails) {
        return "CAG103";
    }
    switch (outcome.error ? outcome.error->code : 0) {
    case 35:
        return "CAG305";
    case 200:
        return decided_by(outcome, 17) ? "CAG301" : "CAG103";
    case 222:
        return "CAG301";
    case 500:
        return "CAG104";
    default:
        return decided_by(outcome, 18) ? "CAG302" : "CAG103";
    }
}

std::string gpu_text(const Gpu& gpu) {
    return gpu.name.empty() ? "compute capability " + to_string(gpu.capability)
                            : fmt::format("{} (compute capability {})", gpu.name, to_string(gpu.capability));
}

std::string what_happens(const Outcome& outcome, bool one) {
    const char* do_not_run = one ? "does not run" : "do not run";
    switch (outcome.kind) {
    case OutcomeKind::fails:
        return outcome.error ? fmt::format("{}: error {}, {}", do_not_run, outcome.error->code, outcome.error->name) : do_not_run;
    case OutcomeKind::jit:
        return "would be compiled from PTX at load, which --no-jit forbids";
    case OutcomeKind::unknown:
        return "may or may not run";
    case OutcomeKind::sass:
        break;
    }
    return "run";
}

Finding describe_outcome(const CheckedSubject& checked, const Outcome& outcome, const std::vector<std::string>& kernels) {
    const std::string who = kernels.empty()       ? "its kernels"
                            : kernels.size() == 1 ? "kernel " + list_kernels(kernels)
                                                  : "kernels " + list_kernels(kernels);
    Finding finding = finding_in(checked, code_of(outcome),
                                 fmt::format("{}: on {} with driver {}, {} {}{}", describe(checked.file, checked.subject),
                                             gpu_text(outcome.gpu), outcome.driver.name, who, what_happens(outcome, kernels.size() == 1),
                                             outcome.reasons.empty() ? "" : fmt::format(" ({})", fmt::join(outcome.reasons, "; "))));
    finding.level = outcome.kind == OutcomeKind::unknown ? Level::warning : Level::error;
    finding.kernels = kernels;
    finding.arch = Arch{outcome.gpu.capability.major, outcome.gpu.capability.minor, Variant::plain};
    finding.fixes = outcome.fixes;
    if (finding.fixes.empty() && outcome.kind != OutcomeKind::unknown) {
        finding.fixes = fixes_for({*finding.arch, Code::sass});
    }
    return finding;
}

bool gives_lto(const CheckedSubject& checked, const Gpu& gpu) {
    const auto& images = checked.file.modules[checked.subject.modules.front()].images;
    return checked.subject.kind == Subject::Kind::input && std::any_of(images.begin(), images.end(), [&](const Image& image) {
               return image.kind == ImageKind::ltoir && image.arch.capability() == gpu.capability;
           });
}

} // namespace

std::vector<Claim> check_outcomes(const CheckedSubject& checked, const Requirement& requirement, const FilePrediction& prediction) {
    if (gives_lto(checked, *requirement.gpu)) {
        return {};
    }
    // Kernels that fail alike for the same reasons are one finding.
    struct Group {
        const Outcome* example;
        std::vector<std::string> kernels;
    };
    std::map<std::string, std::size_t> known;
    std::vector<Group> groups;
    const auto names = kernels_of(checked.file, checked.subject);
    const std::unordered_set<std::string_view> kernels(names.begin(), names.end());
    for (const Outcome* outcome : outcomes_of(checked.subject, prediction)) {
        if (holds(*outcome, requirement) || (!outcome->kernel.empty() && !kernels.contains(outcome->kernel))) {
            continue;
        }
        const std::string key = fmt::format("{}|{}|{}", static_cast<int>(outcome->kind), outcome->error ? outcome->error->code : 0,
                                            fmt::join(outcome->reasons, "|"));
        const auto [entry, is_new] = known.try_emplace(key, groups.size());
        if (is_new) {
            groups.push_back({outcome, {}});
        }
        if (!outcome->kernel.empty()) {
            groups[entry->second].kernels.push_back(outcome->kernel);
        }
    }
    std::vector<Claim> claims;
    claims.reserve(groups.size());
    for (Group& group : groups) {
        claims.push_back({std::move(group.kernels), [checked, example = group.example](const std::vector<std::string>& some) {
                              return describe_outcome(checked, *example, some);
                          }});
    }
    return claims;
}

Coverage as_if_linked(const Coverage& coverage) {
    Coverage linked = coverage;
    for (FileCoverage& file : linked.files) {
        if (file.role != FileRole::object) {
            continue;
        }
        for (Module& module : file.modules) {
            if (module.kind == ModuleKind::relocatable) {
                module.kind = ModuleKind::registered;
                for (Image& image : module.images) {
                    image.relocatable = false;
                }
            }
        }
    }
    return linked;
}

} // namespace cag
