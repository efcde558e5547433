#include "survey/json.hpp"

#include "survey/merge.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string device_text(std::uint16_t device) { return fmt::format("10de:{:04x}", device); }

Json capability_or_null(const std::optional<ComputeCapability>& capability) {
    return capability ? Json(to_string(*capability)) : Json(nullptr);
}

Json sighting_json(const Sighting& gpu) {
    Json json{{"index", gpu.index ? Json(*gpu.index) : Json(nullptr)},
              {"name", text_or_null(gpu.name)},
              {"capability", capability_or_null(gpu.capability)},
              {"uuid", text_or_null(gpu.uuid)},
              {"pci_bus_id", text_or_null(gpu.pci_bus_id)},
              {"pci_device", gpu.pci_device ? Json(device_text(*gpu.pci_device)) : Json(nullptr)},
              {"memory", gpu.memory ? Json(*gpu.memory) : Json(nullptr)},
              {"mig", gpu.mig ? Json(*gpu.mig) : Json(nullptr)}};
    if (!gpu.mig_devices.empty()) {
        json["mig_devices"] = gpu.mig_devices;
    }
    if (!gpu.fabric.empty()) {
        json["fabric"] = gpu.fabric;
    }
    if (!gpu.kernel_driver.empty()) {
        json["kernel_driver"] = gpu.kernel_driver;
    }
    return json;
}

std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? "" : found->get<std::string>();
}

std::optional<CudaVersion> cuda_at(const Json& json, const char* key) {
    const auto version = parse_capability(text_at(json, key)); // "13.0" has the same form as "9.0"
    return version ? std::optional(CudaVersion{version->major, version->minor}) : std::nullopt;
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? std::nullopt : std::optional(found->get<T>());
}

Sighting sighting_of(const Json& json) {
    Sighting gpu;
    gpu.index = optional_at<unsigned>(json, "index");
    gpu.name = text_at(json, "name");
    gpu.capability = parse_capability(text_at(json, "capability"));
    gpu.uuid = text_at(json, "uuid");
    gpu.pci_bus_id = text_at(json, "pci_bus_id");
    gpu.pci_device = parse_pci_device(text_at(json, "pci_device"));
    gpu.memory = optional_at<std::uint64_t>(json, "memory");
    gpu.mig = optional_at<bool>(json, "mig");
    gpu.mig_devices = json.value("mig_devices", std::vector<std::string>{});
    gpu.fabric = text_at(json, "fabric");
    gpu.kernel_driver = text_at(json, "kernel_driver");
    return gpu;
}

MethodAnswer answer_of(const Json& json) {
    MethodAnswer answer;
    const auto method = parse_method(json.at("method").get<std::string>());
    if (!method) {
        throw std::runtime_error("unknown method " + json.at("method").dump());
    }
    answer.method = *method;
    answer.asked = json.value("asked", true);
    answer.driver_version = text_at(json, "driver_version");
    answer.cuda = cuda_at(json, "cuda");
    answer.problem = text_at(json, "problem");
    answer.error = json.value("error", 0);
    for (const Json& gpu : json.at("gpus")) {
        answer.gpus.push_back(sighting_of(gpu));
    }
    return answer;
}

Json gpu_json(const MachineGpu& gpu) {
    Json json{{"index", gpu.index}};
    Json sources = Json::object();
    const auto put = [&](const char* key, const auto& fact, const auto& form) {
        json[key] = fact ? Json(form(fact->value)) : Json(nullptr);
        if (fact) {
            sources[key] = to_string(fact->source);
        }
    };
    const auto same = [](const auto& value) { return value; };
    put("name", gpu.name, same);
    put("capability", gpu.capability, [](ComputeCapability capability) { return to_string(capability); });
    put("uuid", gpu.uuid, same);
    put("pci_bus_id", gpu.pci_bus_id, same);
    put("pci_device", gpu.pci_device, device_text);
    put("memory", gpu.memory, same);
    json["mig"] = gpu.mig;
    json["tegra"] = gpu.tegra;
    if (gpu.emulated) {
        json["emulated"] = true;
    }
    json["sources"] = std::move(sources);
    json["seen_by"] = Json::array();
    for (const auto& [method, sighting] : gpu.sightings) {
        json["seen_by"].push_back(to_string(method));
    }
    return json;
}

Json driver_json(const MachineDriver& driver) {
    Json json{{"version", text_or_null(driver.version)},
              {"cuda", driver.cuda ? Json(to_string(*driver.cuda)) : Json(nullptr)},
              {"source", driver.version.empty() && !driver.cuda ? Json(nullptr) : Json(to_string(driver.source))},
              {"kernel_version", text_or_null(driver.kernel_version)},
              {"kernel_module", to_string(driver.flavour)},
              {"libraries", Json::array()}};
    for (const auto& [path, version] : driver.libraries) {
        json["libraries"].push_back({{"path", path}, {"version", text_or_null(version)}});
    }
    return json;
}

template <class T, class Read>
Result<T> guarded(const char* what, Read read) {
    try {
        return read();
    } catch (const std::exception& problem) { // of nlohmann/json: names the key and the type that was expected
        return failure("CAG508",
                       fmt::format("expected {} as `survey --format json` prints it, found something else: {}", what, problem.what()));
    }
}

} // namespace

Json to_json(const MethodAnswer& answer) {
    Json json{{"method", to_string(answer.method)},
              {"asked", answer.asked},
              {"driver_version", text_or_null(answer.driver_version)},
              {"cuda", answer.cuda ? Json(to_string(*answer.cuda)) : Json(nullptr)},
              {"problem", text_or_null(answer.problem)},
              {"error", answer.error},
              {"gpus", Json::array()}};
    for (const Sighting& gpu : answer.gpus) {
        json["gpus"].push_back(sighting_json(gpu));
    }
    return json;
}

Json to_json(const Machine& machine) {
    Json json{{"gpus", Json::array()}, {"driver", driver_json(machine.driver)}};
    for (const MachineGpu& gpu : machine.gpus) {
        json["gpus"].push_back(gpu_json(gpu));
    }
    json["surroundings"] = {{"container", text_or_null(machine.surroundings.container)},
                            {"wsl", machine.surroundings.wsl},
                            {"board", text_or_null(machine.surroundings.board)}};
    json["environment"] = Json::object();
    for (const auto& [name, value] : machine.environment) {
        json["environment"][name] = value;
    }
    json["notes"] = Json::array();
    for (const SurveyNote& note : machine.notes) {
        json["notes"].push_back({{"topic", note.topic}, {"message", note.message}, {"fix", text_or_null(note.fix)}, {"wrong", note.wrong}});
    }
    json["methods"] = Json::array();
    for (const MethodAnswer& answer : machine.answers) {
        json["methods"].push_back(to_json(answer));
    }
    json["recorded"] = text_or_null(machine.recorded);
    return json;
}

Result<MethodAnswer> answer_from_json(const Json& json) {
    return guarded<MethodAnswer>("a method's answer", [&] { return answer_of(json); });
}

// What was seen is read back, and what follows from it is worked out again.
Result<Machine> machine_from_json(const Json& json) {
    return guarded<Machine>("a machine", [&] {
        Machine machine;
        for (const Json& answer : json.at("methods")) {
            machine.answers.push_back(answer_of(answer));
        }
        const Json& driver = json.at("driver");
        machine.driver.kernel_version = text_at(driver, "kernel_version");
        const std::string flavour = text_at(driver, "kernel_module");
        machine.driver.flavour = flavour == "open"          ? ModuleFlavour::open
                                 : flavour == "proprietary" ? ModuleFlavour::proprietary
                                                            : ModuleFlavour::unknown;
        for (const Json& library : driver.at("libraries")) {
            machine.driver.libraries.emplace_back(library.at("path").get<std::string>(), text_at(library, "version"));
        }
        const Json& surroundings = json.at("surroundings");
        machine.surroundings = {text_at(surroundings, "container"), surroundings.at("wsl").get<bool>(), text_at(surroundings, "board")};
        for (const auto& [name, value] : json.at("environment").items()) {
            machine.environment[name] = value.get<std::string>();
        }
        machine.recorded = text_at(json, "recorded");
        conclude(machine);
        return machine;
    });
}

} // namespace cag
