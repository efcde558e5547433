// inspect PATH...: what is in there.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/read.hpp"
#include "report/report.hpp"

namespace cag {

int run(const InspectOptions& options) {
    // Architectures stand in headers: only kernels need the images themselves, which are most of a file.
    const Coverage coverage = read_inputs(options.input, options.kernels ? ScanDepth::payload : ScanDepth::headers);
    const InspectView view{options.kernels, options.sizes};
    const std::string report =
        options.output.format == Format::json ? inspect_json(coverage, view) : inspect_text(coverage, view, style_of(options.output));
    return finish(report, is_partial(coverage) ? status_undecided : status_holds);
}

} // namespace cag
