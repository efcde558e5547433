#include "policy/waivers.hpp"

#include "policy/glob.hpp"
#include "policy/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cag {
namespace {

bool is_about_module(const Waiver& waiver, const FileCoverage& file, const Finding& finding) {
    if (waiver.modules.empty()) {
        return true;
    }
    if (!finding.module) {
        return false;
    }
    std::vector<std::string> names{std::to_string(*finding.module)};
    for (const Module& module : file.modules) {
        if (module.index == *finding.module) {
            names.push_back(module.identity);
            std::transform(module.images.begin(), module.images.end(), std::back_inserter(names),
                           [](const Image& image) { return image.source; });
        }
    }
    return std::any_of(waiver.modules.begin(), waiver.modules.end(), [&](const std::string& pattern) {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return !name.empty() && glob_matches(pattern, name); });
    });
}

bool is_about(const Waiver& waiver, const FileCoverage& file, const Finding& finding) {
    return waiver.code == finding.code && (waiver.paths.empty() || any_path_matches(waiver.paths, display_name(file))) &&
           (waiver.archs.empty() ||
            (finding.arch && std::find(waiver.archs.begin(), waiver.archs.end(), *finding.arch) != waiver.archs.end())) &&
           is_about_module(waiver, file, finding);
}

bool is_about_kernel(const Waiver& waiver, const std::string& kernel) {
    return waiver.kernels.empty() || std::any_of(waiver.kernels.begin(), waiver.kernels.end(), [&](const std::string& pattern) {
               return glob_matches(pattern, kernel) || glob_matches(pattern, demangled(kernel));
           });
}

Finding excused(Finding finding, std::size_t index, const Waiver& waiver) {
    finding.level = Level::note;
    finding.waiver = index;
    finding.message += fmt::format("; waived until {} by {}: {}", waiver.expires, waiver.owner, waiver.reason);
    return finding;
}

Finding about_waiver(std::string message, std::string fix) {
    Finding finding;
    finding.code = "CAG509";
    finding.level = Level::warning;
    finding.message = std::move(message);
    finding.fixes = {std::move(fix)};
    return finding;
}

} // namespace

Waivers::Waivers(const std::vector<Waiver>& waivers, std::string today) {
    for (const Waiver& waiver : waivers) {
        entries_.push_back({waiver, waiver.expires < today, false});
    }
}

std::vector<Finding> Waivers::told(const FileCoverage& file, const Claim& claim) {
    const Finding whole = claim.finding(claim.kernels);
    std::vector<Finding> findings;
    std::vector<std::string> left = claim.kernels;
    bool all_excused = false;
    for (std::size_t i = 0; i < entries_.size() && !all_excused; ++i) {
        Entry& entry = entries_[i];
        if (whole.level == Level::note || !is_about(entry.waiver, file, whole) || (left.empty() && !entry.waiver.kernels.empty())) {
            continue;
        }
        const auto first = std::stable_partition(left.begin(), left.end(),
                                                 [&](const std::string& kernel) { return !is_about_kernel(entry.waiver, kernel); });
        const std::vector<std::string> taken(first, left.end());
        if (taken.empty() && !left.empty()) {
            continue;
        }
        entry.used = true;
        if (!entry.expired) {
            left.erase(first, left.end());
            all_excused = left.empty();
            findings.push_back(excused(claim.finding(taken), i, entry.waiver));
        }
    }
    if (!all_excused) {
        findings.insert(findings.begin(), left.size() == claim.kernels.size() ? whole : claim.finding(left));
    }
    return findings;
}

std::vector<Finding> Waivers::stale(const Coverage& coverage) const {
    std::vector<Finding> findings;
    std::size_t elsewhere = 0;
    for (const Entry& entry : entries_) {
        const bool here = entry.waiver.paths.empty() ||
                          std::any_of(coverage.files.begin(), coverage.files.end(),
                                      [&](const FileCoverage& file) { return any_path_matches(entry.waiver.paths, display_name(file)); });
        if (entry.expired) {
            findings.push_back(about_waiver(fmt::format("the waiver of {} has expired", to_string(entry.waiver)),
                                            entry.used ? "fix what it excused, or agree on a new date with its owner"
                                                       : "remove the waiver: nothing needs it any more"));
        } else if (!entry.used && here) {
            findings.push_back(about_waiver(fmt::format("the waiver of {} excuses nothing", to_string(entry.waiver)),
                                            "remove the waiver: nothing needs it any more"));
        } else if (!entry.used) {
            ++elsewhere;
        }
    }
    if (elsewhere != 0) {
        Finding finding = about_waiver(fmt::format("{} of the policy's waivers {} about files that are not among the inputs", elsewhere,
                                                   elsewhere == 1 ? "is" : "are"),
                                       "remove the waivers of files that no longer exist");
        finding.level = Level::note;
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::string to_string(const Waiver& waiver) {
    std::string text = waiver.code;
    if (!waiver.archs.empty()) {
        std::vector<std::string> archs;
        std::transform(waiver.archs.begin(), waiver.archs.end(), std::back_inserter(archs),
                       [](Arch arch) { return "sm_" + to_string(arch); });
        text += fmt::format(" for {}", fmt::join(archs, ", "));
    }
    if (!waiver.paths.empty()) {
        text += fmt::format(" in {}", fmt::join(waiver.paths, ", "));
    }
    return text + fmt::format(" until {} ({}: {})", waiver.expires, waiver.owner, waiver.reason);
}

} // namespace cag
