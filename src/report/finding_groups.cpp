#include "report/finding_groups.hpp"

#include "policy/kernel_names.hpp"
#include "report/style.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

bool alike(const Finding& a, const Finding& b) {
    return a.module && b.module && a.code == b.code && a.level == b.level && a.requirement == b.requirement && a.waiver == b.waiver &&
           a.fixes == b.fixes;
}

std::string others_of_file(const FindingGroup& group, const std::string& file) {
    std::vector<std::size_t> modules;
    std::vector<std::string> kernels;
    for (const Finding* other : group.others) {
        if (file_of(*other) == file) {
            modules.push_back(*other->module);
            kernels.insert(kernels.end(), other->kernels.begin(), other->kernels.end());
        }
    }
    std::sort(modules.begin(), modules.end());
    modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
    return fmt::format("likewise {} {} of {}{}", modules.size() == 1 ? "module" : "modules", ranges(modules), file,
                       kernels.empty() ? "" : ": " + list_kernels(kernels));
}

} // namespace

std::vector<FindingGroup> grouped(const std::vector<Finding>& findings) {
    std::vector<FindingGroup> groups;
    for (const Finding& finding : findings) {
        const auto same =
            std::find_if(groups.begin(), groups.end(), [&](const FindingGroup& group) { return alike(*group.first, finding); });
        if (same == groups.end()) {
            groups.push_back({&finding, {}});
        } else {
            same->others.push_back(&finding);
        }
    }
    return groups;
}

std::vector<std::string> others_in(const FindingGroup& group, bool all) {
    const std::size_t shown = all ? group.others.size() : 3;
    std::vector<std::string> files;
    for (const Finding* other : group.others) {
        if (const std::string file = file_of(*other); std::find(files.begin(), files.end(), file) == files.end()) {
            files.push_back(file);
        }
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(shown, files.size()); ++i) {
        lines.push_back(others_of_file(group, files[i]));
    }
    if (files.size() > shown) {
        lines.push_back("and " + counted(files.size() - shown, "more file"));
    }
    return lines;
}

std::string file_of(const Finding& finding) { return finding.member ? finding.path + "!" + *finding.member : finding.path; }

std::string headline(const Judgement& judgement) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(judgement.requirements.begin(), judgement.requirements.end(),
                             [&](const RequirementResult& result) { return result.verdict == verdict; });
    };
    const std::size_t all = judgement.requirements.size();
    const std::string requirements = counted(all, "requirement");
    switch (judgement.verdict) {
    case Verdict::pass:
        return fmt::format("pass: {} of {} met", all, requirements);
    case Verdict::fail:
        return fmt::format("fail: {} of {} not met", count(Verdict::fail), requirements);
    case Verdict::undecided:
        break;
    }
    return fmt::format("undecided: {} of {} could not be decided", count(Verdict::undecided), requirements);
}

} // namespace cag
