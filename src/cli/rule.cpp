// rule [CODE]: what a diagnostic code means.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/report.hpp"
#include "support/suggest.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

Problem unknown_code(const std::string& code) {
    if (const DiagnosticCode* now = successor_of(code)) {
        return {"CAG505",
                fmt::format("expected a diagnostic code, found `{0}`, which {1} says today: cuda-arch-guard rule {1}", code, now->name),
                {}};
    }
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
    const Format format = options.output.format;
    return finish(format == Format::json       ? rules_json(codes)
                  : format == Format::markdown ? rules_markdown(codes)
                                               : rules_text(codes, style_of(options.output)),
                  status_holds);
}

} // namespace cag
