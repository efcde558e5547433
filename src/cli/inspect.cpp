// inspect PATH...: what is in there.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

namespace {

int inspect_packages(const InspectOptions& options) {
    const auto texts = read_claim_texts(options.input);
    if (!texts) {
        return give_up("inspect", options.output, texts.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    const auto packages = truths_of(coverage, options.input.paths, *texts);
    const std::string report = options.output.format == Format::json
                                   ? as_part(packages_json(coverage, packages, {options.kernels, options.sizes}), options.input, coverage)
                                   : packages_text(packages, style_of(options.output));
    std::vector<CheckedClaim> claims;
    for (const PackageTruth& package : packages) {
        claims.insert(claims.end(), package.claims.begin(), package.claims.end());
    }
    const auto without = texts_without_claims(claims, *texts);
    for (const std::string& text : without) {
        print_note(
            fmt::format("--claims-from {}: found no such file, or nothing in it that is understood as a list of architectures", text));
    }
    return finish(report, is_partial(coverage) || !without.empty() ? status_undecided : status_holds);
}

} // namespace

int run(const InspectOptions& options) {
    if (options.package) {
        return inspect_packages(options);
    }
    const auto reports = parse_report_files(options.output);
    if (!reports) {
        return give_up("inspect", options.output, reports.error());
    }
    const auto wants_html = [](const ReportFile& report) { return report.format == Format::html; };
    const bool html = options.output.format == Format::html || std::any_of(reports->begin(), reports->end(), wants_html);
    // Architectures stand in headers: only kernels need the images themselves, which are most of a file.
    const Coverage coverage = read_inputs(options.input, options.kernels || html ? ScanDepth::payload : ScanDepth::headers);
    const InspectView view{options.kernels, options.sizes};
    const auto render = [&](Format format, const Style& style) {
        switch (format) {
        case Format::json:
            return as_part(inspect_json(coverage, view), options.input, coverage);
        case Format::html:
            return report_html({"inspect", coverage, nullptr, {}});
        case Format::csv:
            return report_csv({"inspect", coverage, nullptr, {}});
        default:
            return inspect_text(coverage, view, style);
        }
    };
    return deliver(render, *reports, options.output, is_partial(coverage) ? status_undecided : status_holds);
}

} // namespace cag
