#include "report/json_model.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace cag {
namespace {

using nlohmann::ordered_json;

ordered_json json_outcome(const Outcome& outcome) {
    ordered_json json{{"kernel", outcome.kernel},
                      {"gpu", to_string(outcome.gpu.capability)},
                      {"driver", outcome.driver.name},
                      {"env", outcome.environment},
                      {"outcome", to_string(outcome.kind)},
                      {"image", nullptr},
                      {"error", nullptr},
                      {"confidence", to_string(outcome.confidence)},
                      {"reasons", outcome.reasons},
                      {"warnings", outcome.warnings},
                      {"fixes", outcome.fixes},
                      {"rules", outcome.rules}};
    if (!outcome.gpu.name.empty()) {
        json["gpu_name"] = outcome.gpu.name;
    }
    if (outcome.image) {
        json["image"] = {{"kind", to_string(outcome.image->kind)}, {"arch", to_string(outcome.image->arch)}};
    }
    if (outcome.error) {
        json["error"] = {{"code", outcome.error->code}, {"name", outcome.error->name}};
    }
    return json;
}

ordered_json json_floor(const PredictionRun& run) {
    ordered_json json{
        {"gpu", to_string(run.gpu.capability)}, {"driver", nullptr}, {"cuda", nullptr}, {"outcome", nullptr}, {"reason", nullptr}};
    if (run.floor) {
        json["driver"] = run.floor->driver.name;
        json["cuda"] = to_string(run.floor->driver.cuda);
        json["outcome"] = to_string(run.floor->outcome);
        json["reason"] = run.floor->reason;
    }
    return json;
}

} // namespace

void add_predictions(ordered_json& document, const Coverage& coverage, const std::vector<PredictionRun>& runs) {
    std::map<std::pair<std::size_t, std::size_t>, ordered_json> outcomes;
    ordered_json ptx = ordered_json::array();
    for (const PredictionRun& run : runs) {
        ptx.push_back({{"gpu", to_string(run.gpu.capability)}, {"driver", run.driver.name}, {"bytes", ptx_to_compile(run)}});
        for (const FilePrediction& file : run.prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                ordered_json& list = outcomes.try_emplace({file.file, module.module}, ordered_json::array()).first->second;
                for (const Outcome& outcome : module.outcomes) {
                    list.push_back(json_outcome(outcome));
                }
            }
        }
    }
    document["ptx_to_compile"] = std::move(ptx);
    document["files"] = json_files(coverage, true, [&](std::size_t file, std::size_t module, ordered_json& json) {
        if (const auto found = outcomes.find({file, module}); found != outcomes.end()) {
            json["outcomes"] = std::move(found->second);
        }
    });
}

std::string predict_json(const Coverage& coverage, const std::vector<PredictionRun>& runs) {
    ordered_json document = json_envelope("predict");
    document["driver_floors"] = ordered_json::array();
    for (const PredictionRun& run : runs) {
        document["driver_floors"].push_back(json_floor(run));
    }
    add_predictions(document, coverage, runs);
    return json_text(document);
}

} // namespace cag
