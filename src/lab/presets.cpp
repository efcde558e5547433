#include "lab/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

std::string architectures(const Solution& solution) {
    std::vector<std::string> items;
    for (const Target& target : solution.list()) {
        items.push_back(to_string(target.arch) + (target.code == Code::sass ? "-real" : "-virtual"));
    }
    return fmt::format("{}", fmt::join(items, ";"));
}

std::string capabilities(const std::vector<LabPlace>& places) {
    std::set<ComputeCapability> sorted;
    for (const LabPlace& place : places) {
        sorted.insert(place.gpu.capability);
    }
    std::vector<std::string> names;
    for (const ComputeCapability capability : sorted) {
        names.push_back(to_string(capability));
    }
    return fmt::format("{}", fmt::join(names, ";"));
}

// The newest toolkit that every machine has, where they say.
std::optional<CudaVersion> common_toolkit(const std::vector<LabPlace>& places) {
    std::optional<CudaVersion> oldest;
    for (const LabPlace& place : places) {
        const auto& toolkits = place.machine->toolkits;
        if (!toolkits.empty()) {
            const CudaVersion newest = *std::max_element(toolkits.begin(), toolkits.end());
            oldest = oldest ? std::min(*oldest, newest) : newest;
        }
    }
    return oldest;
}

void add_presets(Json& document, const Lab& lab, const std::string& name, const std::string& shown) {
    const auto places = places_of(lab, {name});
    if (!places || places->empty()) {
        return;
    }
    const Solution solution = solve(*places, common_toolkit(*places));
    if (solution.targets.empty()) {
        return;
    }
    const std::string preset = "lab-" + name;
    document["configurePresets"].push_back(
        {{"name", preset},
         {"displayName", shown},
         {"inherits", Json::array({"lab-common"})},
         {"cacheVariables", {{"CMAKE_CUDA_ARCHITECTURES", architectures(solution)}, {"CUDA_ARCH_GUARD_GPUS", capabilities(*places)}}}});
    document["buildPresets"].push_back({{"name", preset}, {"configurePreset", preset}});
    document["testPresets"].push_back({{"name", preset}, {"configurePreset", preset}, {"output", {{"outputOnFailure", true}}}});
    Json steps = Json::array();
    for (const char* type : {"configure", "build", "test"}) {
        steps.push_back({{"type", type}, {"name", preset}});
    }
    document["workflowPresets"].push_back({{"name", preset}, {"steps", std::move(steps)}});
}

} // namespace

std::string lab_presets(const Lab& lab, const std::string& lab_path) {
    Json document{{"version", 6},
                  {"vendor", {{"cuda-arch-guard", {{"generated from", lab_path}, {"by", "cuda-arch-guard lab presets"}}}}},
                  {"configurePresets", Json::array()}};
    document["configurePresets"].push_back({{"name", "lab-common"}, {"hidden", true}, {"binaryDir", "${sourceDir}/build/${presetName}"}});
    for (const char* kind : {"buildPresets", "testPresets", "workflowPresets"}) {
        document[kind] = Json::array();
    }
    for (const LabMachine& machine : lab.machines) {
        add_presets(document, lab, machine.name, "the machine " + machine.name);
    }
    for (const LabGroup& group : lab.groups) {
        add_presets(document, lab, group.name, "the group " + group.name);
    }
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cag
