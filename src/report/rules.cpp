// `rule [CODE]`: the registry of diagnostic codes as text and as JSON.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cag {
namespace {

Ink ink_of(Level level) { return level == Level::error ? Ink::bad : level == Level::warning ? Ink::caution : Ink::quiet; }

std::string explained(const DiagnosticCode& code, const Style& style) {
    return fmt::format("{}: {} ({})\n\n", paint(style, Ink::strong, code.name), code.title,
                       paint(style, ink_of(code.level), to_string(code.level))) +
           wrapped(style, "  ", code.explanation) + '\n' + wrapped(style, "  fix: ", code.fix);
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
                                     {"explanation", code.explanation},
                                     {"fix", code.fix}});
    }
    return json_text(document);
}

} // namespace cag
