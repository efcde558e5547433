// `verify` for people: what is missing (equal findings together), each requirement's result, the verdict, and what to do as one block.
#include "policy/parse.hpp"
#include "report/finding_groups.hpp"
#include "report/report.hpp"
#include "report/suggestions.hpp"

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
    if (style.detail != Detail::brief) {
        for (const std::string& line : others_in(group, style.detail == Detail::full)) {
            text += wrapped(style, "    ", printable(line));
        }
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

// Flags are never broken, so that the line can be pasted.
std::string suggestions_text(const std::vector<std::string>& lines, const Style& style) {
    std::string text;
    for (const std::string& line : lines) {
        const std::string first = text.empty() ? "    fix: " : "         ";
        text += line.find("-gencode") == std::string::npos ? wrapped(style, first, printable(line)) : first + printable(line) + '\n';
    }
    return text;
}

// A policy can require hundreds of things: those that hold are counted then, so that the others are seen.
std::string requirements_text(const Judgement& judgement, const Style& style) {
    constexpr std::size_t shown = 12;
    const bool fold = style.detail != Detail::full && judgement.requirements.size() > shown;
    std::size_t folded = 0;
    std::string text;
    for (const RequirementResult& result : judgement.requirements) {
        if (fold && result.verdict == Verdict::pass) {
            ++folded;
            continue;
        }
        text += wrapped(style, fmt::format("{} ", mark_of(result.verdict).painted(style)), printable(to_string(result.requirement)));
    }
    if (folded != 0) {
        text += fmt::format("{} {}\n", marks::holds.painted(style), counted(folded, "requirement") + " met");
    }
    return text;
}

} // namespace

std::string verify_text(const Judgement& judgement, const Style& style) {
    const bool brief = style.detail == Detail::brief;
    auto groups = grouped(judgement.findings);
    std::erase_if(groups, [&](const FindingGroup& group) {
        return (group.first->waiver && style.detail != Detail::full) || (brief && group.first->level != Level::error);
    });
    std::string text;
    for (const FindingGroup& group : groups) {
        text += group_text(group, style);
    }
    text += text.empty() ? "" : "\n";
    if (!brief) {
        text += waived_text(judgement, style) + requirements_text(judgement, style);
    }
    text += paint(style, mark_of(judgement.verdict).ink, headline(judgement)) + '\n';
    std::erase_if(groups, [](const FindingGroup& group) { return group.first->waiver.has_value(); });
    const std::string fixes = suggestions_text(suggestions(groups), style);
    return brief || fixes.empty() ? text : text + '\n' + fixes;
}

} // namespace cag
