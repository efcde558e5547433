// predict PATH... --gpu G...: what happens there, kernel by kernel.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/questions.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "compat/spec.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <optional>

namespace cag {
namespace {

// The worst outcome decides; nullopt where nothing was judged.
std::optional<OutcomeKind> worst_of(const std::vector<PredictionRun>& runs) {
    std::optional<OutcomeKind> worst;
    const auto badness = [](OutcomeKind kind) { return kind == OutcomeKind::fails ? 2 : kind == OutcomeKind::unknown ? 1 : 0; };
    for (const PredictionRun& answer : runs) {
        for (const FilePrediction& file : answer.prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    if (!worst || badness(outcome.kind) > badness(*worst)) {
                        worst = outcome.kind;
                    }
                }
            }
        }
    }
    return worst;
}

int status_of(const Coverage& coverage, const std::vector<PredictionRun>& runs) {
    const auto worst = worst_of(runs);
    if (worst == OutcomeKind::fails) {
        return status_fails;
    }
    return !worst || worst == OutcomeKind::unknown || is_partial(coverage) ? status_undecided : status_holds;
}

} // namespace

int run(const PredictOptions& options) {
    const auto reports = parse_report_files(options.output);
    if (!reports) {
        return give_up("predict", options.output, reports.error());
    }
    const auto questions = parse_questions(options.gpus, options.drivers);
    const auto environment = parse_environment(options.environment);
    if (!questions || !environment) {
        return give_up("predict", options.output, !questions ? questions.error() : environment.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    std::vector<PredictionRun> runs;
    for (const auto& [gpu, driver] : *questions) {
        runs.push_back(
            {gpu, driver, *environment, predict(coverage, gpu, driver, *environment), driver_floor(coverage, gpu, *environment)});
    }
    std::vector<std::string> asked;
    for (const auto& [gpu, driver] : *questions) {
        asked.push_back(fmt::format("{} with driver {}", to_string(gpu.capability), driver.name));
    }
    asked.insert(asked.end(), options.environment.begin(), options.environment.end());
    const auto render = [&](Format format, const Style& style) {
        switch (format) {
        case Format::json:
            return as_part(predict_json(coverage, runs), options.input, coverage, asked);
        case Format::html:
            return report_html({"predict", coverage, nullptr, runs});
        case Format::csv:
            return report_csv({"predict", coverage, nullptr, runs});
        default:
            return predict_text(coverage, runs, {options.kernels}, style);
        }
    };
    return deliver(render, *reports, options.output, status_of(coverage, runs));
}

} // namespace cag
