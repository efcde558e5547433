// predict PATH... --gpu G...: what happens there, kernel by kernel.
#include "cli/commands.hpp"
#include "cli/local.hpp"
#include "cli/output.hpp"
#include "cli/read.hpp"
#include "compat/spec.hpp"
#include "report/report.hpp"

#include <optional>

namespace cag {
namespace {

struct Question {
    Gpu gpu;
    Driver driver;
};

Result<std::vector<Gpu>> gpus_of(const PredictOptions& options) {
    std::vector<Gpu> gpus;
    for (const std::string& value : options.gpus) {
        for (const std::string& item : split_list(value)) {
            const auto gpu = parse_gpu(item);
            if (!gpu) {
                return tl::unexpected(gpu.error());
            }
            gpus.push_back(*gpu);
        }
    }
    return gpus;
}

Result<std::vector<Driver>> drivers_of(const PredictOptions& options) {
    std::vector<Driver> drivers;
    for (const std::string& value : options.drivers) {
        for (const std::string& item : split_list(value)) {
            const auto driver = parse_driver(item);
            if (!driver) {
                return tl::unexpected(driver.error());
            }
            drivers.push_back(*driver);
        }
    }
    return drivers;
}

std::vector<Question> questions_of(const std::vector<Gpu>& gpus, const std::vector<Driver>& drivers) {
    std::vector<Question> questions;
    for (const Gpu& gpu : gpus) {
        if (drivers.empty()) {
            questions.push_back({gpu, newest_driver_for(gpu)});
        }
        for (const Driver& driver : drivers) {
            questions.push_back({gpu, driver});
        }
    }
    return questions;
}

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

int run(const PredictOptions& given) {
    PredictOptions options = given;
    if (const auto done = replace_local(options.gpus, options.drivers); !done) {
        return give_up("predict", options.output, done.error());
    }
    const auto gpus = gpus_of(options);
    const auto drivers = drivers_of(options);
    const auto environment = parse_environment(options.environment);
    if (!gpus || !drivers || !environment) {
        return give_up("predict", options.output, !gpus ? gpus.error() : !drivers ? drivers.error() : environment.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    std::vector<PredictionRun> runs;
    for (const Question& question : questions_of(*gpus, *drivers)) {
        runs.push_back({question.gpu, question.driver, *environment, predict(coverage, question.gpu, question.driver, *environment),
                        driver_floor(coverage, question.gpu, *environment)});
    }
    const std::string report = options.output.format == Format::json
                                   ? predict_json(coverage, runs)
                                   : predict_text(coverage, runs, {options.kernels}, style_of(options.output));
    return finish(report, status_of(coverage, runs));
}

} // namespace cag
