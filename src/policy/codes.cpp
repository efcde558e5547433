#include "policy/codes.hpp"

#include "data/tables.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cag {
namespace {

std::string normalised(std::string_view name) {
    std::string upper;
    for (const char c : name) {
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return upper.starts_with("CAG") ? upper : "CAG" + upper;
}

Level level_of(std::string_view word) { return word == "error" ? Level::error : word == "warning" ? Level::warning : Level::note; }

std::vector<DiagnosticCode> codes_of_table() {
    std::vector<DiagnosticCode> codes;
    for (const data::Rule& rule : data::rules()) {
        codes.push_back({rule.code, level_of(rule.level), rule.title, rule.what, rule.why, rule.how, rule.fix, rule.example});
    }
    return codes;
}

} // namespace

std::span<const DiagnosticCode> all_codes() {
    static const std::vector<DiagnosticCode> codes = codes_of_table();
    return codes;
}

bool is_waivable(const DiagnosticCode& code) { return code.name < std::string_view{"CAG4"} && code.name != "CAG106"; }

const DiagnosticCode* find_code(std::string_view name) {
    const std::string wanted = normalised(name);
    const auto codes = all_codes();
    const auto found = std::find_if(codes.begin(), codes.end(), [&](const DiagnosticCode& code) { return code.name == wanted; });
    return found == codes.end() ? nullptr : &*found;
}

const DiagnosticCode* successor_of(std::string_view name) {
    const std::string wanted = normalised(name);
    const auto retired = data::retired_rules();
    const auto found = std::find_if(retired.begin(), retired.end(), [&](const data::RetiredRule& rule) { return rule.code == wanted; });
    return found == retired.end() ? nullptr : find_code(found->now);
}

} // namespace cag
