// The PCI bus: works without a driver, and in a container without the GPU. What a device is comes from the table of PCI ids.
#include "survey/merge.hpp"
#include "survey/methods.hpp"
#include "survey/recorded.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

constexpr unsigned nvidia = 0x10de;

// Display controllers: VGA, XGA, 3D, other. An NVIDIA card also has audio and USB functions, a board NVSwitches.
bool is_display(unsigned device_class) { return device_class >> 8U == 0x03; }

std::optional<unsigned> hexadecimal(std::string_view text) {
    text = trimmed(text);
    return number_in<unsigned>(text.substr(0, 2) == "0x" ? text.substr(2) : text, 16);
}

} // namespace

MethodAnswer ask_pci(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::pci;
    const std::string bus = "/sys/bus/pci/devices";
    if (!is_folder(host, bus)) {
        answer.problem = bus + " does not exist";
        return answer;
    }
    for (const std::string& name : entries(host, bus)) {
        const std::string folder = bus + "/" + name;
        const auto value = [&](const char* file) { return hexadecimal(read_text(host, folder + "/" + file).value_or("")); };
        const auto device = value("device");
        if (value("vendor") != nvidia || !device || !is_display(value("class").value_or(0) >> 8U)) {
            continue;
        }
        Sighting gpu;
        gpu.pci_bus_id = pci_bus_id(name);
        gpu.pci_device = static_cast<std::uint16_t>(*device);
        const std::string driver = link_target(host, folder + "/driver").value_or("");
        gpu.kernel_driver = driver.substr(driver.find_last_of('/') + 1);
        answer.gpus.push_back(std::move(gpu));
    }
    return answer;
}

// 1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H200 SXM 141GB] [10de:2335] (rev a1)     lspci -nn
// 1b:00.0 0302: 10de:2335 (rev a1)                                                                 lspci -n
// 1b:00.0 3D controller: NVIDIA Corporation GH100 [H200 SXM 141GB] (rev a1)                        lspci
//         Kernel driver in use: nvidia                                                             -k
MethodAnswer read_lspci(std::string_view text) {
    MethodAnswer answer;
    answer.method = Method::pci;
    bool in_gpu = false;
    for (const std::string_view line : lines_of(text)) {
        const std::string bus = pci_bus_id(line.substr(0, line.find(' ')));
        if (bus.empty()) {
            if (const auto driver = after(line, "Kernel driver in use:"); in_gpu && !driver.empty()) {
                answer.gpus.back().kernel_driver = driver;
            }
            continue;
        }
        const auto id = line.find("10de:");
        const auto colon = line.find(": ");
        const std::string_view kind = line.substr(0, colon);
        in_gpu = (id != std::string_view::npos || holds(line, "NVIDIA")) &&
                 (holds(kind, " 03") || holds(kind, "[03") || holds(kind, "VGA") || holds(kind, "3D") || holds(kind, "Display"));
        if (!in_gpu) {
            continue;
        }
        Sighting gpu;
        gpu.pci_bus_id = bus;
        if (id != std::string_view::npos) {
            gpu.pci_device = parse_pci_device(line.substr(id, 9));
        } else if (const auto open = line.find('[', colon); open != std::string_view::npos) {
            gpu.name = line.substr(open + 1, line.find(']', open) - open - 1); // "GeForce RTX 3060 Lite Hash Rate"
        }
        answer.gpus.push_back(std::move(gpu));
    }
    return answer;
}

} // namespace cag
