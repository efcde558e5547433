// `rule [CODE]`: the registry of diagnostic codes as text, as JSON and as the page docs/codes.md.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cag {
namespace {

Ink ink_of(Level level) { return level == Level::error ? Ink::bad : level == Level::warning ? Ink::caution : Ink::quiet; }

// The lines of an example, each behind `first`.
std::string indented(std::string_view first, std::string_view lines) {
    std::string text;
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        text += std::string{first} + std::string{lines.substr(0, end)} + '\n';
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
    return text;
}

std::string explained(const DiagnosticCode& code, const Style& style) {
    const auto part = [&](const char* heading, std::string_view text) {
        return fmt::format("\n{}\n", paint(style, Ink::strong, heading)) + wrapped(style, "  ", text);
    };
    return fmt::format("{}: {} ({})\n", paint(style, Ink::strong, code.name), code.title,
                       paint(style, ink_of(code.level), to_string(code.level))) +
           part("What was found", code.what) + part("Why it matters", code.why) + part("How to put it right", code.how) +
           wrapped(style, "  fix: ", code.fix) + fmt::format("\n{}\n", paint(style, Ink::strong, "Example")) + indented("  ", code.example);
}

} // namespace

std::string rules_text(std::span<const DiagnosticCode> codes, const Style& style) {
    if (codes.size() == 1) {
        return explained(codes.front(), style);
    }
    std::string text;
    for (const DiagnosticCode& code : codes) {
        text += fmt::format("{}  {}  {}\n", paint(style, Ink::strong, code.name),
                            paint(style, ink_of(code.level), fit(style, to_string(code.level), 7)), code.title);
    }
    return text + "\n`cuda-arch-guard rule CODE` explains one of them.\n";
}

std::string rules_json(std::span<const DiagnosticCode> codes) {
    nlohmann::ordered_json document = json_envelope("rule");
    document["rules"] = nlohmann::ordered_json::array();
    for (const DiagnosticCode& code : codes) {
        document["rules"].push_back({{"code", code.name},
                                     {"level", to_string(code.level)},
                                     {"title", code.title},
                                     {"what", code.what},
                                     {"why", code.why},
                                     {"how", code.how},
                                     {"fix", code.fix},
                                     {"example", code.example}});
    }
    return json_text(document);
}

std::string rules_markdown(std::span<const DiagnosticCode> codes) {
    std::string text = "# Diagnostic codes\n\nWritten by `cuda-arch-guard rule --format markdown`, which says the same at the terminal: "
                       "`cuda-arch-guard rule CAG101`.\nA code never changes its meaning. A waiver can excuse codes below CAG400, except "
                       "CAG106.\n\n| code | level | |\n|---|---|---|\n";
    for (const DiagnosticCode& code : codes) {
        text += fmt::format("| [{0}](#{1}) | {2} | {3} |\n", code.name, "cag" + std::string{code.name.substr(3)}, to_string(code.level),
                            code.title);
    }
    for (const DiagnosticCode& code : codes) {
        text += fmt::format("\n## {}\n\n**{}** ({})\n\n{}\n\n{}\n\n{}\n\nFix: `{}`\n\n```text\n{}```\n", code.name, code.title,
                            to_string(code.level), code.what, code.why, code.how, code.fix, code.example);
    }
    return text;
}

} // namespace cag
