// `verify` for people: the verdict, what is missing with its fix (equal findings together), then each requirement's result.
#include "policy/kernel_names.hpp"
#include "policy/parse.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cag {
namespace {

const Mark& mark_of(Level level) { return level == Level::error ? marks::fails : level == Level::warning ? marks::unknown : marks::note; }

const Mark& mark_of(Verdict verdict) {
    return verdict == Verdict::pass ? marks::holds : verdict == Verdict::fail ? marks::fails : marks::unknown;
}

// Findings that say the same of several modules: one of them is told, the others are counted.
struct Group {
    const Finding* first;
    std::vector<const Finding*> others;
};

bool alike(const Finding& a, const Finding& b) {
    return a.module && b.module && a.code == b.code && a.level == b.level && a.requirement == b.requirement && a.fixes == b.fixes;
}

std::vector<Group> grouped(const std::vector<Finding>& findings) {
    std::vector<Group> groups;
    for (const Finding& finding : findings) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return alike(*group.first, finding); });
        if (same == groups.end()) {
            groups.push_back({&finding, {}});
        } else {
            same->others.push_back(&finding);
        }
    }
    return groups;
}

std::string file_of(const Finding& finding) { return finding.member ? finding.path + "!" + *finding.member : finding.path; }

// "and likewise 11 modules with 48 kernels: 1-11", one line a file and at most three files.
std::string others_text(const Group& group, const Style& style) {
    std::vector<std::string> files;
    for (const Finding* other : group.others) {
        if (const std::string file = file_of(*other); std::find(files.begin(), files.end(), file) == files.end()) {
            files.push_back(file);
        }
    }
    std::string text;
    const std::size_t shown = std::min<std::size_t>(files.size(), 3);
    for (std::size_t i = 0; i < shown; ++i) {
        std::vector<std::size_t> modules;
        std::vector<std::string> kernels;
        for (const Finding* other : group.others) {
            if (file_of(*other) == files[i]) {
                modules.push_back(*other->module);
                kernels.insert(kernels.end(), other->kernels.begin(), other->kernels.end());
            }
        }
        std::sort(modules.begin(), modules.end());
        modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
        text += wrapped(style, "    ",
                        printable(fmt::format("likewise {} {} of {}{}", modules.size() == 1 ? "module" : "modules", ranges(modules),
                                              files[i], kernels.empty() ? "" : ": " + list_kernels(kernels))));
    }
    if (shown < files.size()) {
        text += fmt::format("    and {} more\n", counted(files.size() - shown, "file"));
    }
    return text;
}

std::string group_text(const Group& group, const Style& style) {
    const Finding& finding = *group.first;
    std::string text = wrapped(style, fmt::format("{} {} ", mark_of(finding.level).painted(style), paint(style, Ink::strong, finding.code)),
                               printable(finding.message)) +
                       others_text(group, style);
    for (std::size_t i = 0; i < finding.fixes.size(); ++i) {
        text += wrapped(style, i == 0 ? "    fix: " : "         ", printable(finding.fixes[i]));
    }
    return text + '\n';
}

std::string headline(const Judgement& judgement, const Style& style) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(judgement.requirements.begin(), judgement.requirements.end(),
                             [&](const RequirementResult& result) { return result.verdict == verdict; });
    };
    const std::size_t all = judgement.requirements.size();
    const std::string requirements = counted(all, "requirement");
    switch (judgement.verdict) {
    case Verdict::pass:
        return paint(style, Ink::good, "pass") +
               fmt::format(": {}\n", all == 1 ? "the requirement holds" : "all " + requirements + " hold");
    case Verdict::fail:
        return paint(style, Ink::bad, "fail") + fmt::format(": {} of {} not met\n", count(Verdict::fail), requirements);
    case Verdict::undecided:
        break;
    }
    return paint(style, Ink::caution, "undecided") +
           fmt::format(": {} of {} could not be decided\n", count(Verdict::undecided), requirements);
}

} // namespace

std::string verify_text(const Judgement& judgement, const Style& style) {
    std::string text;
    for (const Group& group : grouped(judgement.findings)) {
        text += group_text(group, style);
    }
    for (const RequirementResult& result : judgement.requirements) {
        text += fmt::format("{} {}\n", mark_of(result.verdict).painted(style), printable(to_string(result.requirement)));
    }
    return text + headline(judgement, style);
}

} // namespace cag
