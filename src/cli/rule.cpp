// rule [CODE]: what a diagnostic code means.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/report.hpp"
#include "support/suggest.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

Problem unknown_code(const std::string& code) {
    std::vector<std::string> names;
    for (const DiagnosticCode& known : all_codes()) {
        names.emplace_back(known.name);
    }
    const std::string meant = nearest_name(code, names);
    return {"CAG505",
            fmt::format("expected a diagnostic code such as CAG101, found `{}`{}; `cuda-arch-guard rule` lists all codes", code,
                        meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)),
            {}};
}

} // namespace

int run(const RuleOptions& options) {
    std::span<const DiagnosticCode> codes = all_codes();
    if (!options.code.empty()) {
        const DiagnosticCode* code = find_code(options.code);
        if (code == nullptr) {
            return give_up("rule", options.output, unknown_code(options.code));
        }
        codes = {code, 1};
    }
    return finish(options.output.format == Format::json ? rules_json(codes) : rules_text(codes, style_of(options.output)), status_holds);
}

} // namespace cag
