// /proc/driver/nvidia: what the loaded kernel module says. Readable without the libraries.
#include "survey/merge.hpp"
#include "survey/methods.hpp"
#include "survey/text.hpp"

namespace cag {

MethodAnswer ask_proc(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::proc;
    const auto version = read_text(host, "/proc/driver/nvidia/version");
    if (!version) {
        answer.problem = "no NVIDIA kernel module is loaded (/proc/driver/nvidia/version does not exist)";
        return answer;
    }
    answer.driver_version = kernel_module_version(*version);
    const std::string folder = "/proc/driver/nvidia/gpus";
    for (const std::string& name : entries(host, folder)) {
        const auto text = read_text(host, folder + "/" + name + "/information");
        if (!text) {
            continue;
        }
        Sighting gpu;
        gpu.index = number_in<unsigned>(after(*text, "Device Minor:"));
        gpu.name = after(*text, "Model:");
        gpu.uuid = after(*text, "GPU UUID:");
        if (holds(gpu.uuid, "?")) { // before the GPU was first used
            gpu.uuid.clear();
        }
        gpu.pci_bus_id = pci_bus_id(name);
        answer.gpus.push_back(std::move(gpu));
    }
    return answer;
}

// NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs-builder@...)
std::string kernel_module_version(std::string_view text) {
    for (const std::string_view word : split(text.substr(0, text.find('\n')), ' ')) {
        if (branch_of(word) && word.find('.') != std::string_view::npos) {
            return std::string(word);
        }
    }
    return "";
}

ModuleFlavour kernel_module_flavour(std::string_view text) {
    return holds(text, "Open Kernel Module") ? ModuleFlavour::open
           : holds(text, "NVRM version")     ? ModuleFlavour::proprietary
                                             : ModuleFlavour::unknown;
}

} // namespace cag
