// Why answers differ or are missing, and which to believe. One function a reason.
#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "survey/merge.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag {
namespace {

using Notes = std::vector<SurveyNote>;

const MethodAnswer* answer_by(const Machine& machine, Method method) {
    const auto found = std::find_if(machine.answers.begin(), machine.answers.end(),
                                    [&](const MethodAnswer& answer) { return answer.method == method && answer.asked; });
    return found == machine.answers.end() ? nullptr : &*found;
}

std::size_t seen_by(const Machine& machine, Method method) {
    const MethodAnswer* answer = answer_by(machine, method);
    return answer != nullptr ? answer->gpus.size() : 0;
}

bool driver_answers(const Machine& machine) {
    return seen_by(machine, Method::nvml) + seen_by(machine, Method::nvidia_smi) + seen_by(machine, Method::driver_api) > 0;
}

std::string label(const MachineGpu& gpu) { return fmt::format("GPU {}{}", gpu.index, gpu.name ? " (" + gpu.name->value + ")" : ""); }

void differing_capabilities(const Machine& machine, Notes& notes) {
    for (const MachineGpu& gpu : machine.gpus) {
        std::vector<std::string> others;
        for (const auto& [method, sighting] : gpu.sightings) {
            if (sighting.capability && *sighting.capability != gpu.capability->value) {
                others.push_back(fmt::format("{} says {}", to_string(method), to_string(*sighting.capability)));
            }
        }
        if (!others.empty()) {
            notes.push_back({"capability",
                             fmt::format("{}: {} says {}, but {}. Believe {}: it asks the GPU more directly", label(gpu),
                                         to_string(gpu.capability->source), to_string(gpu.capability->value), fmt::join(others, " and "),
                                         to_string(gpu.capability->source)),
                             ""});
        }
    }
}

// The tables against the measured capability.
void differing_table(const Machine& machine, Notes& notes) {
    for (const MachineGpu& gpu : machine.gpus) {
        const data::PciDevice* row = gpu.pci_device ? data::find_pci_device(gpu.pci_device->value) : nullptr;
        if (row != nullptr && gpu.capability && row->capability != gpu.capability->value &&
            !(data::is_tegra(row->capability) && gpu.tegra)) { // Thor has an old and a new number
            notes.push_back(
                {"capability",
                 fmt::format("{}: {} says {}, the table of PCI ids says {} for 10de:{:04x}. Believe {}, and report the table's row",
                             label(gpu), to_string(gpu.capability->source), to_string(gpu.capability->value), to_string(row->capability),
                             row->device, to_string(gpu.capability->source)),
                 ""});
        }
    }
}

void unknown_cards(const Machine& machine, Notes& notes) {
    for (const MachineGpu& gpu : machine.gpus) {
        const bool in_table = gpu.pci_device && data::find_pci_device(gpu.pci_device->value) != nullptr;
        const std::string id = gpu.pci_device ? fmt::format(" (PCI id 10de:{:04x})", gpu.pci_device->value) : "";
        if (!gpu.capability) {
            notes.push_back(
                {"unknown-card",
                 fmt::format("{}{}: nobody here says its compute capability, and the tables do not know it", label(gpu), id),
                 "install a driver and run `nvidia-smi --query-gpu=compute_cap --format=csv`, or look it up on NVIDIA's page of "
                 "CUDA GPUs"});
        } else if (gpu.pci_device && !in_table && gpu.capability->source != Method::table) {
            notes.push_back({"unknown-card",
                             fmt::format("{}{} is newer than the tables; {} says {}", label(gpu), id, to_string(gpu.capability->source),
                                         to_string(gpu.capability->value)),
                             ""});
        } else if (gpu.capability->source == Method::table && driver_answers(machine)) {
            notes.push_back({"unknown-card",
                             fmt::format("{}: the driver did not say its compute capability; {} is from the tables, by {}", label(gpu),
                                         to_string(gpu.capability->value), in_table ? "PCI id" : "name"),
                             ""});
        }
    }
}

void emulated_gpus(const Machine& machine, Notes& notes) {
    for (const MachineGpu& gpu : machine.gpus) {
        if (gpu.emulated) {
            notes.push_back(
                {"emulated",
                 fmt::format("{} is not an NVIDIA GPU: ZLUDA translates PTX for another vendor's card. What is said of SASS does "
                             "not hold there, and its compute capability is made up",
                             label(gpu)),
                 "use binaries that carry PTX; nothing else can be promised"});
        }
    }
}

void order_and_visibility(const Machine& machine, Notes& notes) {
    const MethodAnswer* api = answer_by(machine, Method::driver_api);
    if (api == nullptr || machine.gpus.empty()) {
        return;
    }
    const auto visible = machine.environment.find("CUDA_VISIBLE_DEVICES");
    if (visible != machine.environment.end() && api->gpus.size() < machine.gpus.size()) {
        notes.push_back({"visibility",
                         fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" leaves {} of {} GPUs to CUDA programs; nvidia-smi and NVML ignore it",
                                     visible->second, api->gpus.size(), machine.gpus.size()),
                         "unset CUDA_VISIBLE_DEVICES to use all of them"});
    }
    std::vector<std::string> order;
    bool differs = false;
    for (const Sighting& sighting : api->gpus) {
        const auto found = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const MachineGpu& gpu) {
            return gpu.pci_bus_id && gpu.pci_bus_id->value == sighting.pci_bus_id;
        });
        if (found == machine.gpus.end()) {
            return;
        }
        differs = differs || found->index != sighting.index;
        order.push_back(std::to_string(found->index));
    }
    if (differs) {
        const auto setting = machine.environment.find("CUDA_DEVICE_ORDER");
        const std::string rule = setting == machine.environment.end() ? "FASTEST_FIRST, the default" : setting->second;
        notes.push_back({"order",
                         fmt::format("CUDA counts the GPUs in another order than nvidia-smi: its devices 0, 1, ... are nvidia-smi's {} "
                                     "(CUDA_DEVICE_ORDER is {})",
                                     fmt::join(order, ", "), rule),
                         "export CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by UUID"});
    }
}

void library_mismatch(const Machine& machine, Notes& notes) {
    const MethodAnswer* nvml = answer_by(machine, Method::nvml);
    const MethodAnswer* smi = answer_by(machine, Method::nvidia_smi);
    const MethodAnswer* api = answer_by(machine, Method::driver_api);
    const bool said = (nvml != nullptr && nvml->error == 18) || (smi != nullptr && holds(lower(smi->problem), "version mismatch")) ||
                      (api != nullptr && api->error == 803);
    const std::string library = machine.driver.libraries.empty() ? "" : machine.driver.libraries.front().second;
    const std::string kernel = machine.driver.kernel_version;
    const bool differ = !library.empty() && !kernel.empty() && holds(library, ".") && library != kernel &&
                        !holds(machine.driver.libraries.front().first, "compat");
    if (said || differ) {
        notes.push_back(
            {"mismatch",
             fmt::format("the driver's libraries{} and the loaded kernel module{} are of different versions: a driver update that "
                         "was not followed by a reboot, or two installations",
                         library.empty() ? "" : " (" + library + ")", kernel.empty() ? "" : " (" + kernel + ")"),
             "reboot; if it stays, remove one of the two driver installations", true});
    }
}

void nobody_but_pci(const Machine& machine, Notes& notes) {
    const std::size_t on_bus = seen_by(machine, Method::pci);
    if (on_bus == 0 || driver_answers(machine) || !machine.recorded.empty()) {
        return;
    }
    const MethodAnswer* nvml = answer_by(machine, Method::nvml);
    if (nvml != nullptr && nvml->error == 4) {
        notes.push_back({"permission", "this user may not open /dev/nvidia*",
                         "add the user to the group that owns /dev/nvidia0 (ls -l /dev/nvidia*)", true});
    } else if (!machine.surroundings.container.empty()) {
        notes.push_back({"container",
                         fmt::format("{} NVIDIA GPU{} on the host's PCI bus, and this {} container was started without {}", on_bus,
                                     on_bus == 1 ? " is" : "s are", machine.surroundings.container, on_bus == 1 ? "it" : "them"),
                         "docker run --gpus all ... (NVIDIA Container Toolkit on the host), or a GPU limit in the Kubernetes pod", true});
    } else if (machine.driver.kernel_version.empty()) {
        notes.push_back(
            {"missing",
             fmt::format("{} NVIDIA GPU{} on the PCI bus, and no NVIDIA kernel module is loaded", on_bus, on_bus == 1 ? " is" : "s are"),
             "install the driver and reboot; `sudo modprobe nvidia` and `dmesg | grep -i nvrm` say why it does not load", true});
    } else {
        notes.push_back({"missing", "the kernel module is loaded, and neither NVML nor libcuda answers",
                         "install the libraries of driver " + machine.driver.kernel_version, true});
    }
}

void wsl(const Machine& machine, Notes& notes) {
    if (!machine.surroundings.wsl) {
        return;
    }
    for (const auto& [path, version] : machine.driver.libraries) {
        if (!holds(path, "/usr/lib/wsl/")) {
            notes.push_back(
                {"wsl", path + " is a Linux driver's library inside WSL, where the Windows driver's in /usr/lib/wsl/lib is the right one",
                 "sudo apt-get remove --purge '^libnvidia-compute-.*' '^nvidia-driver-.*'", true});
            return;
        }
    }
}

void half_answers(const Machine& machine, Notes& notes) {
    for (const MethodAnswer& answer : machine.answers) {
        if (answer.asked && !answer.gpus.empty() && !answer.problem.empty()) {
            notes.push_back({"missing", fmt::format("{} did not answer for everything: {}", to_string(answer.method), answer.problem), ""});
        }
    }
    const std::size_t smi = seen_by(machine, Method::nvml) + seen_by(machine, Method::nvidia_smi);
    const MethodAnswer* api = answer_by(machine, Method::driver_api);
    const bool hidden = machine.environment.count("CUDA_VISIBLE_DEVICES") > 0; // explained by its own note
    if (smi > 0 && api != nullptr && api->gpus.empty() && !api->problem.empty() && !(hidden && api->error == 100)) {
        notes.push_back({"missing", "nvidia-smi shows the GPU and CUDA programs cannot use it: " + api->problem, "", true});
    }
}

void mig(const Machine& machine, Notes& notes) {
    for (const MachineGpu& gpu : machine.gpus) {
        if (gpu.mig) {
            notes.push_back(
                {"mig",
                 fmt::format("{} is divided (MIG): a CUDA program sees one slice at a time, with the whole GPU's compute capability",
                             label(gpu)),
                 "CUDA_VISIBLE_DEVICES=MIG-<uuid> chooses one (nvidia-smi -L lists them)"});
        }
    }
}

} // namespace

std::vector<SurveyNote> explained(const Machine& machine) {
    Notes notes;
    library_mismatch(machine, notes);
    nobody_but_pci(machine, notes);
    wsl(machine, notes);
    half_answers(machine, notes);
    order_and_visibility(machine, notes);
    differing_capabilities(machine, notes);
    differing_table(machine, notes);
    unknown_cards(machine, notes);
    emulated_gpus(machine, notes);
    mig(machine, notes);
    return notes;
}

} // namespace cag
