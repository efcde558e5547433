// `verify` as GitHub annotations: workflow commands on standard output. GitHub shows ten of each level a step and drops the others, so
// equal findings share one and the last one counts what is left.
#include "report/finding_groups.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

constexpr std::size_t shown_per_level = 10;

// The runner ends a message at a line break, and reads %, and in properties `:` and `,`, as its own.
std::string escaped(const std::string& text, bool in_property) {
    std::string shown;
    for (const char c : text) {
        switch (c) {
        case '%':
            shown += "%25";
            break;
        case '\r':
            shown += "%0D";
            break;
        case '\n':
            shown += "%0A";
            break;
        case ':':
            shown += in_property ? "%3A" : ":";
            break;
        case ',':
            shown += in_property ? "%2C" : ",";
            break;
        default:
            shown += c;
        }
    }
    return shown;
}

const char* command_of(Level level) { return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice"; }

std::string annotation(Level level, const std::string& properties, const std::string& message) {
    return fmt::format("::{}{}::{}\n", command_of(level), properties, escaped(message, false));
}

std::string group_annotation(const FindingGroup& group) {
    const Finding& finding = *group.first;
    std::string message = printable(finding.message);
    for (const std::string& line : others_in(group)) {
        message += '\n' + printable(line);
    }
    for (const std::string& fix : finding.fixes) {
        message += '\n' + printable(fix);
    }
    return annotation(finding.level, fmt::format(" title={},file={}", escaped(finding.code, true), escaped(printable(finding.path), true)),
                      message);
}

} // namespace

std::string verify_github(const Judgement& judgement) {
    const auto groups = grouped(judgement.findings);
    std::string text;
    for (const Level level : {Level::error, Level::warning, Level::note}) {
        std::vector<const FindingGroup*> of_level;
        for (const FindingGroup& group : groups) {
            if (group.first->level == level) {
                of_level.push_back(&group);
            }
        }
        const bool all_fit = of_level.size() <= shown_per_level;
        const std::size_t shown = all_fit ? of_level.size() : shown_per_level - 1;
        for (std::size_t i = 0; i < shown; ++i) {
            text += group_annotation(*of_level[i]);
        }
        if (!all_fit) {
            text += annotation(level, " title=cuda-arch-guard",
                               fmt::format("and {} more; --format text lists all of them", of_level.size() - shown));
        }
    }
    return text + headline(judgement) + '\n';
}

} // namespace cag
