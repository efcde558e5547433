// Results as CSV (RFC 4180), for spreadsheets: one row a finding, an image or a kernel on a GPU.
#include "policy/kernel_names.hpp"
#include "policy/parse.hpp"
#include "policy/subject.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace cag {
namespace {

// Quoted where need be. A cell that begins like a formula gets an apostrophe in front: names come from files, and spreadsheets run
// formulas.
std::string cell(std::string_view text) {
    std::string shown = printable(text);
    if (!shown.empty() && std::string_view{"=+-@"}.find(shown[0]) != std::string_view::npos) {
        shown.insert(0, 1, '\'');
    }
    if (shown.find_first_of(",\"") == std::string::npos) {
        return shown;
    }
    std::string quoted = "\"";
    for (const char c : shown) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + '"';
}

std::string row(std::initializer_list<std::string> cells) {
    std::string line;
    for (const std::string& text : cells) {
        line += (line.empty() ? "" : ",") + (text.empty() && line.empty() ? "\"\"" : cell(text));
    }
    return line + "\r\n";
}

std::string number(const std::optional<std::size_t>& value) { return value ? std::to_string(*value) : ""; }

std::string judgement_csv(const Judgement& judgement) {
    std::string text =
        row({"code", "level", "file", "member", "module", "arch", "requirement", "kernels", "message", "fix", "waived until", "owner"});
    for (const Finding& finding : judgement.findings) {
        const Waiver waiver = finding.waiver ? judgement.waivers[*finding.waiver] : Waiver{};
        text += row({finding.code, to_string(finding.level), finding.path, finding.member.value_or(""), number(finding.module),
                     finding.arch ? to_string(*finding.arch) : "",
                     finding.requirement ? to_string(judgement.requirements[*finding.requirement].requirement) : "",
                     std::to_string(finding.kernels.size()), finding.message, finding.fixes.empty() ? "" : finding.fixes.front(),
                     waiver.expires, waiver.owner});
    }
    return text;
}

std::string runs_csv(const ScanReport& report) {
    std::string text =
        row({"file", "member", "module", "kernel", "gpu", "driver", "outcome", "image", "error", "confidence", "reason", "fix"});
    for (const PredictionRun& run : report.runs) {
        for (const FilePrediction& in_file : run.prediction.files) {
            const FileCoverage& file = report.coverage.files[in_file.file];
            for (const ModulePrediction& module : in_file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    text += row({file.path, file.member.value_or(""), std::to_string(module.module), demangled(outcome.kernel),
                                 run.gpu.name.empty() ? to_string(run.gpu.capability) : run.gpu.name, run.driver.name,
                                 to_string(outcome.kind), outcome.image ? to_string(outcome.image->arch) : "",
                                 outcome.error ? std::to_string(outcome.error->code) : "", to_string(outcome.confidence),
                                 fmt::format("{}", fmt::join(outcome.reasons, "; ")), outcome.fixes.empty() ? "" : outcome.fixes.front()});
                }
            }
        }
    }
    return text;
}

std::string coverage_csv(const Coverage& coverage) {
    std::string text = row({"file", "member", "module", "module kind", "image", "arch", "kernels", "bytes", "expanded bytes", "compression",
                            "debug", "toolkit"});
    for (const FileCoverage& file : coverage.files) {
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                text +=
                    row({file.path, file.member.value_or(""), std::to_string(module.index), to_string(module.kind), to_string(image.kind),
                         to_string(image.arch), image.payload_read ? std::to_string(image.kernels.size()) : "", std::to_string(image.size),
                         std::to_string(image.expanded_size), to_string(image.compression), image.debug ? "yes" : "no", image.toolkit});
            }
        }
    }
    return text;
}

} // namespace

std::string report_csv(const ScanReport& report) {
    return report.judgement != nullptr ? judgement_csv(*report.judgement)
           : report.runs.empty()       ? coverage_csv(report.coverage)
                                       : runs_csv(report);
}

} // namespace cag
