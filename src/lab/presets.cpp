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

// Variables of the machines; one that two machines of a group set differently has no value for the group.
Json environment_of(const std::vector<LabPlace>& places) {
    Environment common;
    std::set<std::string> contested;
    for (const LabPlace& place : places) {
        for (const auto& [name, value] : place.machine->environment) {
            if (common.emplace(name, value).first->second != value) {
                contested.insert(name);
            }
        }
    }
    Json environment = Json::object();
    for (const auto& [name, value] : common) {
        if (contested.count(name) == 0) {
            environment[name] = value;
        }
    }
    return environment;
}

struct Made {
    const Lab& lab;
    std::string lab_file; // as CMake finds it
    std::string date;
};

void add_presets(Json& document, const Made& made, const std::string& name, const std::string& shown) {
    const auto places = places_of(made.lab, {name}, made.date);
    if (!places || places->empty()) {
        return;
    }
    const Solution solution = solve(*places);
    if (solution.targets.empty()) {
        return;
    }
    const std::string preset = "lab-" + name;
    Json configure{{"name", preset},
                   {"displayName", shown},
                   {"inherits", Json::array({"lab-common"})},
                   {"cacheVariables",
                    {{"CMAKE_CUDA_ARCHITECTURES", architectures(solution)},
                     {"CUDA_ARCH_GUARD_LAB", made.lab_file},
                     {"CUDA_ARCH_GUARD_MACHINES", name}}}};
    if (Json environment = environment_of(*places); !environment.empty()) {
        configure["environment"] = std::move(environment);
    }
    document["configurePresets"].push_back(std::move(configure));
    document["buildPresets"].push_back({{"name", preset}, {"configurePreset", preset}});
    document["testPresets"].push_back({{"name", preset}, {"configurePreset", preset}, {"output", {{"outputOnFailure", true}}}});
    Json steps = Json::array();
    for (const char* type : {"configure", "build", "test"}) {
        steps.push_back({{"type", type}, {"name", preset}});
    }
    document["workflowPresets"].push_back({{"name", preset}, {"steps", std::move(steps)}});
}

} // namespace

std::string lab_presets(const Lab& lab, const std::string& lab_path, const std::string& date) {
    const Made made{lab, lab_path.starts_with("/") ? lab_path : "${fileDir}/" + lab_path, date};
    Json document{{"version", 6},
                  {"vendor", {{"cuda-arch-guard", {{"generated from", lab_path}, {"by", "cuda-arch-guard lab presets"}}}}},
                  {"configurePresets", Json::array()}};
    document["configurePresets"].push_back({{"name", "lab-common"}, {"hidden", true}, {"binaryDir", "${sourceDir}/build/${presetName}"}});
    for (const char* kind : {"buildPresets", "testPresets", "workflowPresets"}) {
        document[kind] = Json::array();
    }
    for (const LabMachine& machine : lab.machines) {
        add_presets(document, made, machine.name, "the machine " + machine.name);
    }
    for (const LabGroup& group : lab.groups) {
        add_presets(document, made, group.name, "the group " + group.name);
    }
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_lab_presets(const std::string& text) {
    const Json document = Json::parse(text, nullptr, false);
    return document.is_object() && document.contains("vendor") && document["vendor"].is_object() &&
           document["vendor"].contains("cuda-arch-guard");
}

} // namespace cag
