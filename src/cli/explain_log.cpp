// explain-log [FILE]: what a failed build's or run's output means.
#include "doctor/explain_log.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "input/text_file.hpp"
#include "report/report.hpp"

namespace cag {

int run(const ExplainLogOptions& options) {
    const auto log = text_of_file(options.file);
    if (!log) {
        return give_up("explain-log", options.output, {log.error().code, options.file + ": " + log.error().message, {}});
    }
    const auto findings = explain_log(*log);
    return finish(options.output.format == Format::json ? explain_log_json(findings) : explain_log_text(findings, style_of(options.output)),
                  findings.empty() ? status_undecided : status_holds);
}

} // namespace cag
