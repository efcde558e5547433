#include "doctor/explain_log.hpp"

#include "data/tables.hpp"
#include "survey/text.hpp"

#include <algorithm>
#include <array>
#include <regex>

namespace cag {
namespace {

// Regular expressions are slow, and logs are long: most lines are passed over by a look for words of the trade.
bool may_matter(const std::string& line) {
    static constexpr std::array<std::string_view, 18> words{"cuda",        "nv",           "gpu",    "sm_",    "sm arch",     "ptx",
                                                            "gnu version", "relocation",   "crti",   "xla",    "engine plan", "undefined",
                                                            "jit",         "kernel image", "compil", "device", "system",      "driver"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return holds(line, word); });
}

std::regex expression(std::string_view text) { return std::regex(text.begin(), text.end(), std::regex::ECMAScript | std::regex::icase); }

// "$1" -> the first group.
std::string filled(std::string_view text, const std::smatch& match) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '$' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9') {
            result += match.str(static_cast<std::size_t>(text[++i] - '0'));
        } else {
            result += text[i];
        }
    }
    return result;
}

LogFinding finding_of(const data::LogPattern& pattern, const std::smatch& match, std::size_t line, std::string_view text) {
    LogFinding finding;
    finding.id = pattern.id;
    finding.code = pattern.code;
    finding.cause = filled(pattern.cause, match);
    std::transform(pattern.fixes.begin(), pattern.fixes.end(), std::back_inserter(finding.fixes),
                   [&](std::string_view fix) { return filled(fix, match); });
    finding.line = line;
    finding.text = trimmed(text);
    finding.asynchronous = pattern.asynchronous;
    return finding;
}

} // namespace

std::vector<LogFinding> explain_log(std::string_view log) {
    constexpr std::size_t longest_line = 2000;
    const std::vector<std::string_view> all = lines_of(log);
    std::vector<std::pair<std::size_t, std::string>> lines; // those that may matter, with their number
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string text(all[i].substr(0, longest_line));
        if (may_matter(lower(text))) {
            lines.emplace_back(i + 1, text);
        }
    }
    std::vector<LogFinding> findings;
    std::vector<bool> explained(all.size() + 1, false);
    for (const data::LogPattern& pattern : data::log_patterns()) {
        const std::regex match_line = expression(pattern.match);
        const std::regex match_context = expression(pattern.context);
        const auto is_context = [&](std::string_view line) {
            const std::string_view some = line.substr(0, longest_line);
            return std::regex_search(some.begin(), some.end(), match_context);
        };
        for (const auto& [line, text] : lines) {
            std::smatch match;
            if (explained[line] || !std::regex_search(text, match, match_line)) {
                continue;
            }
            if (!pattern.context.empty() && std::none_of(all.begin(), all.end(), is_context)) {
                break;
            }
            explained[line] = true; // by the first pattern that fits
            LogFinding finding = finding_of(pattern, match, line, text);
            const auto same = std::find_if(findings.begin(), findings.end(),
                                           [&](const LogFinding& other) { return other.id == finding.id && other.cause == finding.cause; });
            if (same != findings.end()) {
                ++same->count;
            } else {
                findings.push_back(std::move(finding));
            }
        }
    }
    return findings;
}

} // namespace cag
