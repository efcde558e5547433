// nvidia-smi: run here, and its four forms of output as read. Fields that a driver does not know, and boards that print [N/A], are left
// out.
#include "survey/merge.hpp"
#include "survey/methods.hpp"
#include "survey/recorded.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cctype>

namespace cag {
namespace {

bool is_missing(std::string_view value) {
    return value.empty() || value == "N/A" || value.substr(0, 1) == "[" || holds(value, "Insufficient Permissions");
}

std::string known(std::string_view value) { return is_missing(value) ? "" : std::string(value); }

std::optional<CudaVersion> cuda_version(std::string_view text) {
    const auto version = parse_capability(text);
    return version ? std::optional(CudaVersion{version->major, version->minor}) : std::nullopt;
}

// "143771 MiB", "143771"
std::optional<std::uint64_t> mebibytes(std::string_view text) {
    const auto value = number_in<std::uint64_t>(text.substr(0, text.find(' ')));
    return value ? std::optional(*value << 20U) : std::nullopt;
}

std::optional<bool> enabled(std::string_view text) {
    return text == "Enabled" ? std::optional(true) : text == "Disabled" ? std::optional(false) : std::nullopt;
}

// A version directly behind `key`: "Driver Version: 580.159.04  CUDA ..." -> "580.159.04".
std::string version_after(std::string_view text, std::string_view key) {
    const std::string_view rest = after(text, key);
    return std::string(rest.substr(0, std::min(rest.find_first_not_of("0123456789."), rest.size())));
}

void read_versions(std::string_view text, MethodAnswer& answer) {
    for (const char* key : {"Driver Version:", "KMD Version:"}) {
        if (answer.driver_version.empty()) {
            answer.driver_version = version_after(text, key);
        }
    }
    for (const char* key : {"CUDA Version:", "CUDA UMD Version:"}) {
        if (!answer.cuda) {
            answer.cuda = cuda_version(version_after(text, key));
        }
    }
}

} // namespace

MethodAnswer read_nvidia_smi_csv(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    std::vector<std::string> fields;
    for (const std::string_view line : lines_of(text)) {
        const auto cells = split(line, ',');
        if (fields.empty()) {
            for (const std::string_view cell : cells) {
                const std::string_view field = trimmed(cell);
                fields.emplace_back(field.substr(0, std::min(field.find(" ["), field.size())));
            }
            continue;
        }
        if (cells.size() != fields.size()) {
            if (!trimmed(line).empty()) {
                answer.problem = fmt::format("expected {} values in a line, found \"{}\"", fields.size(), trimmed(line));
            }
            continue;
        }
        Sighting gpu;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const std::string value = known(trimmed(cells[i]));
            const std::string& field = fields[i];
            if (field == "index") {
                gpu.index = number_in<unsigned>(value);
            } else if (field == "name" || field == "gpu_name") {
                gpu.name = value;
            } else if (field == "compute_cap") {
                gpu.capability = parse_capability(value);
            } else if (field == "uuid" || field == "gpu_uuid") {
                gpu.uuid = value;
            } else if (field == "pci.bus_id" || field == "gpu_bus_id") {
                gpu.pci_bus_id = pci_bus_id(value);
            } else if (field == "pci.device_id") {
                gpu.pci_device = parse_pci_device(value);
            } else if (field == "memory.total") {
                gpu.memory = mebibytes(value);
            } else if (field == "mig.mode.current") {
                gpu.mig = enabled(value);
            } else if (field == "driver_version") {
                answer.driver_version = value;
            }
        }
        answer.gpus.push_back(std::move(gpu));
    }
    return answer;
}

// The boxed table: a GPU has three lines, and the first of them begins with its number.
//   |   0  NVIDIA H200                    On  |   00000000:1B:00.0 Off |                    0 |
//   | N/A   30C    P0             75W /  700W |       1MiB / 143771MiB |      0%      Default |
//   |                                         |                        |             Disabled |
MethodAnswer read_nvidia_smi_table(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    read_versions(text, answer);
    for (const std::string_view line : lines_of(text)) {
        if (holds(line, "MIG devices:") || holds(line, "Processes:")) {
            break;
        }
        const auto cells = split(line, '|');
        if (cells.size() < 4) {
            continue;
        }
        const std::string_view first = trimmed(cells[1]);
        const std::string bus = pci_bus_id(trimmed(cells[2]).substr(0, trimmed(cells[2]).find(' ')));
        const std::size_t digits = std::min(first.find_first_not_of("0123456789"), first.size());
        if (!bus.empty() && digits > 0) {
            Sighting gpu;
            gpu.index = number_in<unsigned>(first.substr(0, digits));
            std::string_view name = trimmed(first.substr(digits));
            for (const std::string_view persistence : {" On", " Off", " N/A"}) { // the column behind the name
                if (name.size() > persistence.size() && name.substr(name.size() - persistence.size()) == persistence) {
                    name = trimmed(name.substr(0, name.size() - persistence.size()));
                    break;
                }
            }
            for (const std::string_view model : {" TCC", " WDDM", " MCDM"}) { // Windows: the driver model
                if (name.size() > model.size() && name.substr(name.size() - model.size()) == model) {
                    name = trimmed(name.substr(0, name.size() - model.size()));
                }
            }
            gpu.name = name; // may be cut: "NVIDIA GeForce RTX 4060 ..."
            gpu.pci_bus_id = bus;
            answer.gpus.push_back(std::move(gpu));
        } else if (!answer.gpus.empty()) {
            const std::string_view memory = trimmed(cells[2]);
            if (const auto slash = memory.find('/'); slash != std::string_view::npos && holds(memory, "MiB")) {
                const std::string_view total = trimmed(memory.substr(slash + 1));
                answer.gpus.back().memory = mebibytes(total.substr(0, total.find("MiB")));
            } else if (const auto mig = enabled(trimmed(cells[3]))) {
                answer.gpus.back().mig = mig;
            }
        }
    }
    return answer;
}

// Lines "Key : value" under headings; two headings matter because their keys occur elsewhere too.
MethodAnswer read_nvidia_smi_query(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    std::string heading;
    for (const std::string_view line : lines_of(text)) {
        const std::string_view content = trimmed(line);
        const auto colon = line.find(" : ");
        if (line.substr(0, 4) == "GPU " && !pci_bus_id(content.substr(4)).empty()) {
            answer.gpus.emplace_back();
            answer.gpus.back().index = static_cast<unsigned>(answer.gpus.size() - 1);
            answer.gpus.back().pci_bus_id = pci_bus_id(content.substr(4));
            continue;
        }
        if (colon == std::string_view::npos) {
            heading = content;
            continue;
        }
        const std::string_view key = trimmed(line.substr(0, colon));
        const std::string value = known(trimmed(line.substr(colon + 3)));
        if (key == "Driver Version" || (key == "KMD Version" && answer.driver_version.empty())) {
            answer.driver_version = value;
        } else if (key == "CUDA Version" || (key == "CUDA UMD Version" && !answer.cuda)) {
            answer.cuda = cuda_version(value);
        } else if (!answer.gpus.empty()) {
            Sighting& gpu = answer.gpus.back();
            if (key == "Product Name") {
                gpu.name = value;
            } else if (key == "GPU UUID" || key == "UUID") {
                gpu.uuid = gpu.uuid.empty() ? value : gpu.uuid;
            } else if (key == "Compute Capability" || key == "CUDA Compute Capability") {
                gpu.capability = parse_capability(value);
            } else if (key == "Device Id") {
                gpu.pci_device = parse_pci_device(value);
            } else if (key == "Total" && heading == "FB Memory Usage") {
                gpu.memory = mebibytes(value);
            } else if (key == "Current" && heading == "MIG Mode") {
                gpu.mig = enabled(value);
            } else if (key == "State" && heading == "Fabric") {
                gpu.fabric = value;
            } else if (key == "Fabric State") {
                gpu.fabric = value;
            }
        }
    }
    return answer;
}

MethodAnswer read_nvidia_smi_xml(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    pugi::xml_document document;
    // pugixml knows no entities of a DTD and opens no file.
    if (const auto parsed = document.load_buffer(text.data(), text.size()); !parsed) {
        answer.problem = fmt::format("the XML is damaged at byte {}: {}", parsed.offset, parsed.description());
    }
    const pugi::xml_node log = document.child("nvidia_smi_log");
    answer.driver_version = known(log.child_value("driver_version"));
    answer.cuda = cuda_version(log.child_value("cuda_version"));
    for (const pugi::xml_node node : log.children("gpu")) {
        Sighting gpu;
        gpu.index = static_cast<unsigned>(answer.gpus.size());
        gpu.name = known(node.child_value("product_name"));
        gpu.uuid = known(node.child_value("uuid"));
        gpu.capability = parse_capability(node.child_value("compute_cap"));
        gpu.pci_bus_id = pci_bus_id(node.attribute("id").value());
        gpu.pci_device = parse_pci_device(node.child("pci").child_value("pci_device_id"));
        gpu.memory = mebibytes(node.child("fb_memory_usage").child_value("total"));
        gpu.mig = enabled(node.child("mig_mode").child_value("current_mig"));
        gpu.fabric = known(node.child("fabric").child_value("state"));
        answer.gpus.push_back(std::move(gpu));
    }
    return answer;
}

// GPU 0: NVIDIA H200 (UUID: GPU-...)
//   MIG 1g.18gb     Device  0: (UUID: MIG-...)
MethodAnswer read_nvidia_smi_list(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    for (const std::string_view line : lines_of(text)) {
        const std::string_view content = trimmed(line);
        const auto colon = content.find(": ");
        const auto uuid = content.find(" (UUID: ");
        const std::string id(uuid == std::string_view::npos ? "" : content.substr(uuid + 8, content.find(')', uuid) - uuid - 8));
        if (content.substr(0, 4) == "GPU " && colon != std::string_view::npos && uuid != std::string_view::npos && colon < uuid) {
            Sighting gpu;
            gpu.index = number_in<unsigned>(content.substr(4, colon - 4));
            gpu.name = content.substr(colon + 2, uuid - colon - 2);
            gpu.uuid = id;
            answer.gpus.push_back(std::move(gpu));
        } else if (content.substr(0, 4) == "MIG " && !answer.gpus.empty()) {
            answer.gpus.back().mig = true;
            const std::string_view profile = trimmed(content.substr(4, content.find("Device") - 4));
            answer.gpus.back().mig_devices.push_back(fmt::format("{} {}", id, profile));
        }
    }
    return answer;
}

MethodAnswer ask_nvidia_smi(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::nvidia_smi;
    std::string program = which(host, "nvidia-smi");
    if (program.empty() && exists(host, "/usr/lib/wsl/lib/nvidia-smi")) {
        program = "/usr/lib/wsl/lib/nvidia-smi";
    }
    if (program.empty()) {
        answer.problem = "nvidia-smi is not on PATH";
        return answer;
    }
    if (!host.live) {
        answer.asked = false;
        return answer;
    }
    // Drivers before 510 do not know compute_cap, and older ones not the MIG mode.
    for (const char* fields : {"index,name,compute_cap,uuid,pci.bus_id,pci.device_id,memory.total,driver_version,mig.mode.current",
                               "index,name,uuid,pci.bus_id,pci.device_id,memory.total,driver_version"}) {
        const RunResult run = run_program(host, {program, std::string("--query-gpu=") + fields, "--format=csv,nounits"});
        if (run.timed_out) {
            answer.problem = fmt::format("{} did not answer within {} s", program, host.patience.count() / 1000);
            return answer;
        }
        if (run.started && run.status == 0) {
            answer = read_nvidia_smi_csv(run.out);
            answer.problem += answer.gpus.empty() && answer.problem.empty() ? "it lists no GPU" : "";
            return answer;
        }
        std::string said(trimmed(run.out));
        std::replace(said.begin(), said.end(), '\n', ' ');
        answer.problem = run.started ? fmt::format("{} failed ({}): {}", program, run.status, said) : program + " cannot be run";
        answer.error = run.status;
        if (!holds(run.out, "not a valid field")) {
            break;
        }
    }
    return answer;
}

} // namespace cag
