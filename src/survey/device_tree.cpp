// Jetson and DRIVE boards: the device tree names the chip. The GPU is not on the PCI bus, and old nvidia-smi does not exist there.
#include "data/tables.hpp"
#include "survey/methods.hpp"
#include "survey/text.hpp"

namespace cag {

MethodAnswer ask_device_tree(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::device_tree;
    std::optional<std::string> compatible;
    std::string folder;
    for (const char* place : {"/proc/device-tree", "/sys/firmware/devicetree/base"}) {
        if (!compatible) {
            folder = place;
            compatible = read_text(host, folder + "/compatible");
        }
    }
    if (!compatible || !holds(*compatible, "nvidia,tegra")) {
        answer.asked = false; // most machines have no device tree, and most boards no Tegra
        return answer;
    }
    for (const std::string_view entry : split(*compatible, '\0')) {
        if (const data::TegraChip* chip = data::find_tegra_chip(entry)) {
            Sighting gpu;
            gpu.index = 0;
            gpu.name = trimmed(read_text(host, folder + "/model").value_or(std::string(chip->name)));
            gpu.capability = chip->capability;
            answer.gpus.push_back(std::move(gpu));
            return answer;
        }
    }
    answer.problem = "this Tegra is not in the tables: " + std::string(trimmed(*compatible));
    return answer;
}

} // namespace cag
