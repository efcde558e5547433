// `verify` for people: what is missing with its fix (equal findings together), then each requirement's result, then the verdict.
#include "policy/parse.hpp"
#include "report/finding_groups.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace cag {
namespace {

const Mark& mark_of(Level level) { return level == Level::error ? marks::fails : level == Level::warning ? marks::unknown : marks::note; }

const Mark& mark_of(Verdict verdict) {
    return verdict == Verdict::pass ? marks::holds : verdict == Verdict::fail ? marks::fails : marks::unknown;
}

std::string group_text(const FindingGroup& group, const Style& style) {
    const Finding& finding = *group.first;
    std::string text = wrapped(style, fmt::format("{} {} ", mark_of(finding.level).painted(style), paint(style, Ink::strong, finding.code)),
                               printable(finding.message));
    for (const std::string& line : others_in(group)) {
        text += wrapped(style, "    ", printable(line));
    }
    return text;
}

// What is waived is counted by who waives it until when; the other formats list it.
std::string waived_text(const Judgement& judgement, const Style& style) {
    std::map<std::string, std::size_t> counts;
    for (const Finding& finding : judgement.findings) {
        if (finding.waiver) {
            const Waiver& waiver = judgement.waivers[*finding.waiver];
            ++counts[fmt::format("waived until {} by {}: {}", waiver.expires, waiver.owner, waiver.reason)];
        }
    }
    std::string text;
    for (const auto& [who, count] : counts) {
        text +=
            wrapped(style, fmt::format("{} ", marks::note.painted(style)), printable(fmt::format("{} {}", counted(count, "finding"), who)));
    }
    return text.empty() ? text : text + '\n';
}

std::string fixes_text(const std::vector<std::string>& fixes, const Style& style) {
    std::string text;
    for (std::size_t i = 0; i < fixes.size(); ++i) {
        text += wrapped(style, i == 0 ? "    fix: " : "         ", printable(fixes[i]));
    }
    return text + '\n';
}

} // namespace

std::string verify_text(const Judgement& judgement, const Style& style) {
    std::string text;
    auto groups = grouped(judgement.findings);
    std::erase_if(groups, [](const FindingGroup& group) { return group.first->waiver.has_value(); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        text += group_text(groups[i], style);
        const bool same_fix_follows = i + 1 < groups.size() && groups[i + 1].first->fixes == groups[i].first->fixes;
        text += same_fix_follows ? "" : fixes_text(groups[i].first->fixes, style);
    }
    text += waived_text(judgement, style);
    // A policy can require hundreds of things: those that hold are counted then, so that the others are seen.
    constexpr std::size_t shown = 12;
    std::size_t folded = 0;
    for (const RequirementResult& result : judgement.requirements) {
        if (judgement.requirements.size() > shown && result.verdict == Verdict::pass) {
            ++folded;
            continue;
        }
        text += wrapped(style, fmt::format("{} ", mark_of(result.verdict).painted(style)), printable(to_string(result.requirement)));
    }
    if (folded != 0) {
        text += fmt::format("{} {}\n", marks::holds.painted(style), counted(folded, "requirement") + " met");
    }
    return text + paint(style, mark_of(judgement.verdict).ink, headline(judgement)) + '\n';
}

} // namespace cag
