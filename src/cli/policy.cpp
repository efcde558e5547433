// policy check [FILE], policy init PATH...
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/policy_source.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "policy/baseline.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cag {

int run(const PolicyCheckOptions& options) {
    const auto nearest = options.file.empty() ? nearest_policy() : std::optional{options.file};
    if (!nearest) {
        return give_up("policy", options.output,
                       {"CAG408",
                        fmt::format("expected {} in this folder or one above it, found none; `cuda-arch-guard policy init PATH` writes one",
                                    policy_file_name),
                        {}});
    }
    const auto reading = read_policy_file(*nearest, today());
    if (!reading) {
        return give_up("policy", options.output, reading.error());
    }
    const PolicyReport report{*nearest, *reading, today()};
    return finish(options.output.format == Format::json ? policy_json(report) : policy_text(report, style_of(options.output)),
                  report.reading.errors.empty() ? status_holds : status_undecided);
}

int run(const PolicyInitOptions& options) {
    const bool to_output = options.file == "-";
    if (!to_output && !options.force && std::filesystem::exists(options.file)) {
        return give_up(
            "policy", options.output,
            {"CAG505", fmt::format("expected no file {}, found one; --force replaces it, --output FILE writes another", options.file), {}});
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    for (const FileCoverage& file : coverage.files) {
        if (!file.problems.empty()) {
            return give_up("policy", options.output, file.problems.front());
        }
    }
    const std::string text = baseline_policy(coverage, options.input.paths, options.expires.empty() ? today(365) : options.expires);
    const PolicyReading reading = read_policy(text);
    if (!reading.errors.empty()) {
        return give_up("policy", options.output, {"CAG505", reading.errors.front().message, {}});
    }
    if (to_output) {
        return finish(text, status_holds);
    }
    if (const auto done = write_file(options.file, text); !done) {
        return give_up("policy", options.output, done.error());
    }
    const PolicyReport report{options.file, reading, today()};
    return finish(options.output.format == Format::json ? policy_json(report) : policy_text(report, style_of(options.output)),
                  status_holds);
}

} // namespace cag
