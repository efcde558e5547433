// Formats: Slurm, https://slurm.schedmd.com/scontrol.html (Gres=gpu:TYPE:COUNT); Kubernetes node lists with the labels of
// https://github.com/NVIDIA/k8s-device-plugin (docs/gpu-feature-discovery); https://github.com/NVIDIA/dcgm-exporter (README);
// `ansible-inventory --list`, https://docs.ansible.com/ansible/latest/dev_guide/developing_inventory.html.
#include "lab/import.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "survey/inventory.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <ctime>
#include <sys/stat.h>

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

void add_new(std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) {
        list.push_back(item);
    }
}

// "hopper,all"; "(null)" is Slurm's word for none.
void add_tags(ImportedMachine& machine, const std::string& list) {
    std::istringstream items(list == "(null)" ? "" : list);
    for (std::string item; std::getline(items, item, ',');) {
        add_new(machine.tags, item);
    }
}

// "12.8 13.0" or "12.8,13.0"
void add_toolkits(ImportedMachine& machine, std::string list) {
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream items(list);
    for (std::string item; items >> item;) {
        add_new(machine.toolkits, item);
    }
}

std::vector<ImportedMachine> from_slurm_text(const std::string& text) {
    static const std::regex field(R"(\b(NodeName|Gres|Partitions|AvailableFeatures)=(\S*)|\bOS=([^\n]*))");
    std::vector<ImportedMachine> machines;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), field); found != std::sregex_iterator(); ++found) {
        const std::string key = (*found)[1].str();
        const std::string value = (*found)[2].str();
        if (key == "NodeName") {
            machines.emplace_back().name = value;
        } else if (machines.empty()) {
            continue;
        } else if (key == "Gres") {
            add_gres(machines.back(), value);
        } else if (key.empty()) {
            machines.back().os = trimmed((*found)[3].str());
        } else {
            add_tags(machines.back(), value);
        }
    }
    return machines;
}

// One text with commas up to Slurm 22.05, a list from 23.02 on.
void add_tags_at(ImportedMachine& machine, const Json& node, const std::string& key) {
    if (node.contains(key) && node[key].is_array()) {
        for (const Json& item : node[key]) {
            add_tags(machine, item.is_string() ? item.get<std::string>() : "");
        }
    } else {
        add_tags(machine, text_at(node, key));
    }
}

std::vector<ImportedMachine> from_slurm_json(const Json& document) {
    std::vector<ImportedMachine> machines;
    for (const Json& node : document["nodes"]) {
        ImportedMachine machine;
        machine.name = text_at(node, "name");
        add_gres(machine, text_at(node, "gres"));
        machine.os = text_at(node, "operating_system");
        add_tags_at(machine, node, "features");
        add_tags_at(machine, node, "partitions");
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
        // With MIG the count is of slices, and how many GPUs they are of is not told.
        const bool slices = label("gpu.product").find("-MIG-") != std::string::npos;
        machine.gpus[!capability.empty() ? capability : product] = slices ? 1 : number_in(label("gpu.count"), 1);
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
        add_toolkits(machine, cell("toolkits"));
        std::istringstream tags(cell("tags"));
        for (std::string tag; tags >> tag;) {
            machine.tags.push_back(tag);
        }
        machines.push_back(std::move(machine));
    }
    return machines;
}

std::string word_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.is_number() || value.is_boolean() ? value.dump() : "";
}

std::vector<ImportedMachine> from_ansible(const Json& document) {
    std::vector<ImportedMachine> machines;
    const Json hosts = document["_meta"].value("hostvars", Json::object());
    for (const auto& host : hosts.items()) {
        const auto variable = [&](const char* name) { return host.value().is_object() ? word_of(host.value().value(name, Json())) : ""; };
        ImportedMachine machine;
        machine.name = host.key();
        if (const std::string gpu = variable("gpu"); !gpu.empty()) {
            machine.gpus[gpu] = number_in(variable("count"), 1);
        }
        machine.driver = variable("driver");
        machine.os = variable("os");
        add_toolkits(machine, variable("toolkits"));
        add_tags(machine, variable("tags"));
        for (const auto& group : document.items()) {
            const Json members = group.value().is_object() ? group.value().value("hosts", Json::array()) : Json::array();
            if (std::find(members.begin(), members.end(), Json(host.key())) != members.end()) {
                add_tags(machine, group.key());
            }
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

// The day on which a document was recorded: its facts are of that day.
std::string day_written(const std::string& path) {
    struct stat status {};
    std::tm day{};
    if (stat(path.c_str(), &status) != 0 || gmtime_r(&status.st_mtime, &day) == nullptr) {
        return "";
    }
    return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

} // namespace

Result<std::vector<ImportedMachine>> import_text(const std::string& text, const std::string& source) {
    std::vector<ImportedMachine> machines;
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_object() && document.contains("items") && document["items"].is_array()) {
        machines = from_kubernetes(document);
    } else if (document.is_object() && document.contains("_meta") && document["_meta"].is_object()) {
        machines = from_ansible(document);
    } else if (document.is_object() && document.contains("nodes") && document["nodes"].is_array()) {
        machines = from_slurm_json(document);
    } else if (text.find("NodeName=") != std::string::npos) {
        machines = from_slurm_text(text);
    } else if (text.find("\nDCGM_FI_") != std::string::npos || text.starts_with("DCGM_FI_")) {
        machines = from_dcgm(text);
    } else if (document.is_discarded() && is_csv(text) && text.find("compute_cap") == std::string::npos) {
        machines = from_csv(text);
    }
    std::erase_if(machines, [](const ImportedMachine& machine) { return machine.gpus.empty(); });
    for (ImportedMachine& machine : machines) {
        machine.source = source;
        if (machine.name.empty()) { // DCGM without a host name
            machine.name = std::filesystem::path(source).stem().string();
        }
    }
    return machines;
}

Result<std::vector<ImportedMachine>> import_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    auto machines = import_text(text.str(), path);
    if (machines && !machines->empty()) {
        for (ImportedMachine& machine : *machines) {
            machine.date = day_written(path);
        }
        return machines;
    }
    const auto surveyed = recorded_machine(path);
    if (!surveyed) {
        return failure("CAG508", fmt::format("{}: expected a survey, nvidia-smi, Slurm, Kubernetes, DCGM exporter, Ansible or CSV document "
                                             "with GPUs, found none of them",
                                             path));
    }
    ImportedMachine machine = surveyed_machine(*surveyed, std::filesystem::path(path).stem().string());
    machine.source = path;
    machine.date = day_written(path);
    return std::vector<ImportedMachine>{machine};
}

ImportedMachine surveyed_machine(const Machine& surveyed, const std::string& name) {
    ImportedMachine machine;
    machine.name = name;
    for (const std::string& gpu : gpu_specs_of(surveyed)) {
        ++machine.gpus[gpu];
    }
    machine.driver = driver_spec_of(surveyed);
    return machine;
}

void add_installed(ImportedMachine& machine, const Host& host) {
    // https://www.freedesktop.org/software/systemd/man/latest/os-release.html: PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
    static const std::regex pretty_name("(?:^|\\n)PRETTY_NAME=\"?([^\"\\n]+)");
    const std::string release = read_text(host, "/etc/os-release").value_or("");
    if (std::smatch found; std::regex_search(release, found, pretty_name)) {
        machine.os = found[1].str();
    }
    machine.toolkits = installed_toolkits(host);
}

std::vector<std::string> installed_toolkits(const Host& host) {
    std::vector<std::string> releases;
    for (const Toolkit& toolkit : find_toolkits(host, find_pythons(host, {}))) {
        if (toolkit.version && data::find_toolkit(*toolkit.version) != nullptr) {
            add_new(releases, to_string(*toolkit.version));
        }
    }
    return releases;
}

} // namespace cag
