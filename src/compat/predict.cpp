// predict(): the modules that the driver loads, each by its rules, and the outcome of every kernel.
#include "compat/decision.hpp"
#include "compat/judge.hpp"
#include "compat/kernels.hpp"
#include "compat/remedy.hpp"
#include "data/tables.hpp"

#include <set>

namespace cag {
namespace {

Outcome outcome_of(const compat::Decision& decision, std::string_view kernel, const compat::Situation& situation) {
    Outcome outcome;
    outcome.kernel = kernel;
    outcome.gpu = situation.gpu;
    outcome.driver = situation.driver;
    outcome.environment = situation.environment;
    outcome.kind = decision.kind;
    outcome.image = decision.image;
    if (decision.error != 0) {
        outcome.error = CudaError{decision.error, std::string(data::error_name(decision.error))};
    }
    outcome.confidence = decision.confidence;
    outcome.rules = decision.rules;
    outcome.reasons = decision.reasons;
    outcome.warnings = decision.warnings;
    outcome.fixes = compat::in_order_of_cost(decision.fixes);
    return outcome;
}

// Each image once, however many kernels are taken from it.
std::uint64_t ptx_to_compile(const FileCoverage& file, const std::vector<ModulePrediction>& modules) {
    std::set<std::pair<std::size_t, std::size_t>> images;
    for (const ModulePrediction& module : modules) {
        for (const Outcome& outcome : module.outcomes) {
            if (outcome.kind == OutcomeKind::jit && outcome.image) {
                images.emplace(outcome.image->module, outcome.image->image);
            }
        }
    }
    std::uint64_t bytes = 0;
    for (const auto& [module, image] : images) {
        bytes += file.modules[module].images[image].expanded_size;
    }
    return bytes;
}

using TakeOutcome = std::function<void(std::size_t module, Outcome outcome)>;

void judge_file(const FileCoverage& file, const compat::Situation& situation, const TakeOutcome& take) {
    compat::FileJudge(file).judge(situation, [&](std::size_t module, std::string_view kernel, const compat::Decision& decision) {
        take(module, outcome_of(decision, kernel, situation));
        return true;
    });
}

FilePrediction predict_file(const FileCoverage& file, std::size_t index, const compat::Situation& situation) {
    std::map<std::size_t, std::vector<Outcome>> by_module;
    judge_file(file, situation, [&](std::size_t module, Outcome outcome) { by_module[module].push_back(std::move(outcome)); });
    FilePrediction prediction;
    prediction.file = index;
    for (auto& [module, outcomes] : by_module) {
        prediction.modules.push_back({module, std::move(outcomes)});
    }
    prediction.ptx_to_compile = ptx_to_compile(file, prediction.modules);
    return prediction;
}

} // namespace

Prediction predict(const Coverage& coverage, const Gpu& gpu, const Driver& driver, const Environment& environment) {
    const compat::Situation situation(gpu, driver, environment);
    Prediction prediction;
    for (std::size_t i = 0; i < coverage.files.size(); ++i) {
        prediction.files.push_back(predict_file(coverage.files[i], i, situation));
    }
    return prediction;
}

void for_each_outcome(const FileCoverage& file, const Gpu& gpu, const Driver& driver, const Environment& environment,
                      const TakeOutcome& take) {
    judge_file(file, compat::Situation(gpu, driver, environment), take);
}

const char* to_string(OutcomeKind kind) {
    switch (kind) {
    case OutcomeKind::sass:
        return "sass";
    case OutcomeKind::jit:
        return "jit";
    case OutcomeKind::fails:
        return "fails";
    case OutcomeKind::unknown:
        return "unknown";
    }
    return "";
}

const char* to_string(Confidence confidence) {
    switch (confidence) {
    case Confidence::measured:
        return "measured";
    case Confidence::documented:
        return "documented";
    case Confidence::reported:
        return "reported";
    }
    return "";
}

} // namespace cag
