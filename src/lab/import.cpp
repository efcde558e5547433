// Formats: Slurm, https://slurm.schedmd.com/scontrol.html (Gres=gpu:TYPE:COUNT); Kubernetes node lists with the labels of
// https://github.com/NVIDIA/k8s-device-plugin (GPU feature discovery); https://github.com/NVIDIA/dcgm-exporter.
#include "lab/import.hpp"

#include "compat/spec.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const std::string& key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

unsigned number_in(const std::string& text, unsigned otherwise) {
    const bool digits = !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "gpu:h200:8(S:0-1),gpu:a100:2" or "gpu:8", which tells no type.
void add_gres(ImportedMachine& machine, const std::string& gres) {
    static const std::regex item(R"(gpu(?::([A-Za-z][^:,(]*))?:(\d+))");
    for (auto found = std::sregex_iterator(gres.begin(), gres.end(), item); found != std::sregex_iterator(); ++found) {
        std::string type = (*found)[1].str();
        std::replace(type.begin(), type.end(), '_', ' ');
        machine.gpus[type.empty() ? "unknown" : type] += number_in((*found)[2].str(), 1);
    }
}

std::vector<ImportedMachine> from_slurm_text(const std::string& text) {
    static const std::regex field(R"((\w+)=(\S*))");
    std::vector<ImportedMachine> machines;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), field); found != std::sregex_iterator(); ++found) {
        const std::string key = (*found)[1].str();
        const std::string value = (*found)[2].str();
        if (key == "NodeName") {
            machines.emplace_back().name = value;
        } else if (!machines.empty() && key == "Gres") {
            add_gres(machines.back(), value);
        } else if (!machines.empty() && key == "Partitions") {
            std::istringstream partitions(value);
            for (std::string partition; std::getline(partitions, partition, ',');) {
                machines.back().tags.push_back(partition);
            }
        }
    }
    return machines;
}

std::vector<ImportedMachine> from_slurm_json(const Json& document) {
    std::vector<ImportedMachine> machines;
    for (const Json& node : document["nodes"]) {
        ImportedMachine machine;
        machine.name = text_at(node, "name");
        add_gres(machine, text_at(node, "gres"));
        machine.os = text_at(node, "operating_system");
        if (node.contains("partitions") && node["partitions"].is_array()) {
            for (const Json& partition : node["partitions"]) {
                machine.tags.push_back(partition.is_string() ? partition.get<std::string>() : "");
            }
        }
        machines.push_back(std::move(machine));
    }
    return machines;
}

std::vector<ImportedMachine> from_kubernetes(const Json& document) {
    std::vector<ImportedMachine> machines;
    for (const Json& node : document["items"]) {
        const Json metadata = node.value("metadata", Json::object());
        const Json labels = metadata.value("labels", Json::object());
        const auto label = [&](const std::string& name) { return text_at(labels, "nvidia.com/" + name); };
        if (label("gpu.product").empty() && label("gpu.compute.major").empty()) {
            continue;
        }
        ImportedMachine machine;
        machine.name = text_at(metadata, "name");
        const std::string capability =
            label("gpu.compute.major").empty() ? "" : label("gpu.compute.major") + "." + label("gpu.compute.minor");
        std::string product = label("gpu.product");
        std::replace(product.begin(), product.end(), '-', ' ');
        machine.gpus[!capability.empty() ? capability : product] = number_in(label("gpu.count"), 1);
        machine.driver = label("cuda.driver-version.full");
        if (machine.driver.empty() && !label("cuda.driver.major").empty()) {
            machine.driver = label("cuda.driver.major") + "." + label("cuda.driver.minor") +
                             (label("cuda.driver.rev").empty() ? "" : "." + label("cuda.driver.rev"));
        }
        machine.os = text_at(node.value("status", Json::object()).value("nodeInfo", Json::object()), "osImage");
        machines.push_back(std::move(machine));
    }
    return machines;
}

std::vector<ImportedMachine> from_dcgm(const std::string& text) {
    static const std::regex pair("(\\w+)=\"([^\"]*)\"");
    std::map<std::string, ImportedMachine> machines;
    std::set<std::pair<std::string, std::string>> seen; // host, GPU: each has many lines
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("DCGM_FI_")) {
            continue;
        }
        std::map<std::string, std::string> labels;
        for (auto found = std::sregex_iterator(line.begin(), line.end(), pair); found != std::sregex_iterator(); ++found) {
            labels[(*found)[1].str()] = (*found)[2].str();
        }
        ImportedMachine& machine = machines[labels["Hostname"]];
        machine.name = labels["Hostname"];
        if (seen.emplace(machine.name, labels["gpu"]).second) {
            ++machine.gpus[labels["modelName"]];
        }
        if (!labels["DCGM_FI_DRIVER_VERSION"].empty()) {
            machine.driver = labels["DCGM_FI_DRIVER_VERSION"];
        }
    }
    std::vector<ImportedMachine> list;
    for (auto& entry : machines) {
        list.push_back(std::move(entry.second));
    }
    return list;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    std::transform(cells.begin(), cells.end(), cells.begin(), trimmed);
    return cells;
}

std::vector<ImportedMachine> from_csv(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const auto header = cells_of(line);
    std::vector<ImportedMachine> machines;
    while (std::getline(lines, line)) {
        if (trimmed(line).empty()) {
            continue;
        }
        const auto cells = cells_of(line);
        const auto cell = [&](const std::string& name) {
            const auto column = static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
            return column < cells.size() ? cells[column] : std::string();
        };
        ImportedMachine machine;
        machine.name = cell("name");
        machine.gpus[cell("gpu")] = number_in(cell("count"), 1);
        machine.driver = cell("driver");
        machine.os = cell("os");
        std::istringstream tags(cell("tags"));
        for (std::string tag; tags >> tag;) {
            machine.tags.push_back(tag);
        }
        machines.push_back(std::move(machine));
    }
    return machines;
}

bool is_csv(const std::string& text) {
    const auto header = cells_of(text.substr(0, text.find('\n')));
    return std::find(header.begin(), header.end(), "name") != header.end() &&
           std::find(header.begin(), header.end(), "gpu") != header.end();
}

ImportedMachine from_survey(const Machine& surveyed, const std::string& name) {
    ImportedMachine machine;
    machine.name = name;
    for (const std::string& gpu : gpu_specs_of(surveyed)) {
        ++machine.gpus[gpu];
    }
    machine.driver = driver_spec_of(surveyed);
    return machine;
}

} // namespace

Result<std::vector<ImportedMachine>> import_text(const std::string& text, const std::string& source) {
    std::vector<ImportedMachine> machines;
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_object() && document.contains("items") && document["items"].is_array()) {
        machines = from_kubernetes(document);
    } else if (document.is_object() && document.contains("nodes") && document["nodes"].is_array()) {
        machines = from_slurm_json(document);
    } else if (text.find("NodeName=") != std::string::npos) {
        machines = from_slurm_text(text);
    } else if (text.find("\nDCGM_FI_") != std::string::npos || text.starts_with("DCGM_FI_")) {
        machines = from_dcgm(text);
    } else if (document.is_discarded() && is_csv(text) && text.find("compute_cap") == std::string::npos) {
        machines = from_csv(text);
    }
    std::erase_if(machines, [](const ImportedMachine& machine) { return machine.name.empty() || machine.gpus.empty(); });
    for (ImportedMachine& machine : machines) {
        machine.source = source;
    }
    return machines;
}

Result<std::vector<ImportedMachine>> import_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    auto machines = import_text(text.str(), path);
    if (machines && !machines->empty()) {
        return machines;
    }
    const auto surveyed = recorded_machine(path);
    if (!surveyed) {
        return failure(
            "CAG531",
            fmt::format("{}: expected a survey, nvidia-smi, Slurm, Kubernetes, DCGM exporter or CSV document with GPUs, found none of them",
                        path));
    }
    ImportedMachine machine = from_survey(*surveyed, std::filesystem::path(path).stem().string());
    machine.source = path;
    return std::vector<ImportedMachine>{machine};
}

Merged merge(const std::vector<ImportedMachine>& machines) {
    Merged merged;
    const auto take = [&](const ImportedMachine& known, auto& fact, const auto& other, const std::string& what, const std::string& source) {
        if (fact.empty()) {
            fact = other;
        } else if (!other.empty() && fact != other) {
            merged.conflicts.push_back(
                fmt::format("{}: {} says another {} than {}; the first is kept", known.name, source, what, known.source));
        }
    };
    for (const ImportedMachine& machine : machines) {
        const auto known = std::find_if(merged.machines.begin(), merged.machines.end(),
                                        [&](const ImportedMachine& other) { return other.name == machine.name; });
        if (known == merged.machines.end()) {
            merged.machines.push_back(machine);
            continue;
        }
        take(*known, known->gpus, machine.gpus, "list of GPUs", machine.source);
        take(*known, known->driver, machine.driver, "driver", machine.source);
        take(*known, known->os, machine.os, "system", machine.source);
        take(*known, known->tags, machine.tags, "list of tags", machine.source);
    }
    for (const ImportedMachine& machine : merged.machines) {
        for (const auto& entry : machine.gpus) {
            if (const auto gpu = parse_gpu(entry.first); !gpu) {
                merged.conflicts.push_back(fmt::format("{}: {}", machine.name, gpu.error().message));
            }
        }
    }
    return merged;
}

std::string lab_file(const Merged& merged, const std::string& date) {
    Json document{{"lab_version", 1}, {"name", ""}, {"machines", Json::array()}};
    for (const ImportedMachine& machine : merged.machines) {
        Json json{{"name", machine.name}, {"gpus", Json::array()}};
        for (const auto& [gpu, count] : machine.gpus) {
            json["gpus"].push_back(count == 1 ? Json(gpu) : Json{{"gpu", gpu}, {"count", count}});
        }
        if (!machine.driver.empty()) {
            json["driver"] = machine.driver;
        }
        if (!machine.os.empty()) {
            json["os"] = machine.os;
        }
        if (!machine.tags.empty()) {
            json["tags"] = machine.tags;
        }
        json["note"] = fmt::format("from {}, {}", machine.source, date);
        document["machines"].push_back(std::move(json));
    }
    document["groups"] = Json::object();
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cag
