// NVML, the library that nvidia-smi is made of. Its types are declared here as its documentation has them, so that nothing of NVIDIA's is
// needed to build. It ignores CUDA_VISIBLE_DEVICES and lists GPUs in the order of the PCI bus.
#include "survey/library.hpp"
#include "survey/methods.hpp"

#include <fmt/format.h>

#include <array>

namespace cag {
namespace {

using Status = int; // nvmlReturn_t
using Device = void*;

constexpr Status no_permission = 4;
constexpr Status driver_not_loaded = 9;
constexpr Status lost = 15;
constexpr Status version_mismatch = 18;

struct PciInfo {
    std::array<char, 16> legacy_bus_id;
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned pci_device_id; // device << 16 | vendor
    unsigned pci_subsystem_id;
    std::array<char, 32> bus_id;
};

struct MemoryInfo {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct FabricInfo {
    std::array<unsigned char, 16> cluster;
    Status status;
    unsigned clique;
    unsigned char state;
};

std::string explained(Status status) {
    switch (status) {
    case no_permission:
        return "no permission: this user may not open /dev/nvidia*";
    case driver_not_loaded:
        return "the kernel module is not loaded";
    case lost:
        return "the GPU has fallen off the bus";
    case version_mismatch:
        return "the library and the loaded kernel module are of different driver versions";
    default:
        return fmt::format("NVML error {}", status);
    }
}

// Text that a function of NVML writes into a buffer; "" where it fails.
template <class Call>
std::string text_from(Call call) {
    std::array<char, 128> buffer{};
    const bool done = call(buffer.data(), static_cast<unsigned>(buffer.size() - 1)) == 0;
    return done ? buffer.data() : "";
}

using Text = Status(Device, char*, unsigned);

std::vector<std::string> mig_devices(const Library& nvml, Device device) {
    std::vector<std::string> found;
    auto* count = nvml.find<Status(Device, unsigned*)>("nvmlDeviceGetMaxMigDeviceCount");
    auto* part = nvml.find<Status(Device, unsigned, Device*)>("nvmlDeviceGetMigDeviceHandleByIndex");
    auto* uuid = nvml.find<Text>("nvmlDeviceGetUUID");
    auto* name = nvml.find<Text>("nvmlDeviceGetName");
    unsigned most = 0;
    if (count == nullptr || part == nullptr || uuid == nullptr || name == nullptr || count(device, &most) != 0) {
        return found;
    }
    for (unsigned i = 0; i < most; ++i) {
        Device mig = nullptr;
        if (part(device, i, &mig) == 0) {
            found.push_back(text_from([&](char* text, unsigned size) { return uuid(mig, text, size); }) + " " +
                            text_from([&](char* text, unsigned size) { return name(mig, text, size); }));
        }
    }
    return found;
}

Sighting sighting_of(const Library& nvml, Device device, unsigned index) {
    Sighting gpu;
    gpu.index = index;
    if (auto* name = nvml.find<Text>("nvmlDeviceGetName")) {
        gpu.name = text_from([&](char* text, unsigned size) { return name(device, text, size); });
    }
    if (auto* uuid = nvml.find<Text>("nvmlDeviceGetUUID")) {
        gpu.uuid = text_from([&](char* text, unsigned size) { return uuid(device, text, size); });
    }
    int major = 0;
    int minor = 0;
    if (auto* capability = nvml.find<Status(Device, int*, int*)>("nvmlDeviceGetCudaComputeCapability");
        capability != nullptr && capability(device, &major, &minor) == 0) {
        gpu.capability = ComputeCapability{static_cast<unsigned>(major), static_cast<unsigned>(minor)};
    }
    PciInfo pci{};
    if (auto* info = nvml.find<Status(Device, PciInfo*)>("nvmlDeviceGetPciInfo_v3"); info != nullptr && info(device, &pci) == 0) {
        gpu.pci_bus_id = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
        gpu.pci_device = static_cast<std::uint16_t>(pci.pci_device_id >> 16U);
    }
    MemoryInfo memory{};
    if (auto* info = nvml.find<Status(Device, MemoryInfo*)>("nvmlDeviceGetMemoryInfo"); info != nullptr && info(device, &memory) == 0) {
        gpu.memory = memory.total;
    }
    unsigned current = 0;
    unsigned pending = 0;
    if (auto* mode = nvml.find<Status(Device, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
        mode != nullptr && mode(device, &current, &pending) == 0) {
        gpu.mig = current == 1;
    }
    if (gpu.mig.value_or(false)) {
        gpu.mig_devices = mig_devices(nvml, device);
    }
    FabricInfo fabric{};
    if (auto* info = nvml.find<Status(Device, FabricInfo*)>("nvmlDeviceGetGpuFabricInfo"); info != nullptr && info(device, &fabric) == 0) {
        constexpr std::array<const char*, 4> states{"", "Not Started", "In Progress", "Completed"};
        gpu.fabric = fabric.state < states.size() ? states[fabric.state] : "";
    }
    return gpu;
}

MethodAnswer ask(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::nvml;
    const Library nvml(host, "libnvidia-ml.so.1");
    if (!nvml) {
        answer.problem = nvml.problem();
        return answer;
    }
    auto* start = nvml.find<Status()>("nvmlInit_v2", "nvmlInit");
    auto* stop = nvml.find<Status()>("nvmlShutdown");
    auto* count = nvml.find<Status(unsigned*)>("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
    auto* handle = nvml.find<Status(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
    if (start == nullptr || stop == nullptr || count == nullptr || handle == nullptr) {
        answer.problem = "libnvidia-ml.so.1 lacks the functions of NVML; it may be a stub";
        return answer;
    }
    answer.error = start();
    if (answer.error != 0) {
        answer.problem = explained(answer.error);
        return answer;
    }
    if (auto* version = nvml.find<Status(char*, unsigned)>("nvmlSystemGetDriverVersion")) {
        answer.driver_version = text_from([&](char* text, unsigned size) { return version(text, size); });
    }
    int cuda = 0;
    if (auto* version = nvml.find<Status(int*)>("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion");
        version != nullptr && version(&cuda) == 0 && cuda > 0) {
        answer.cuda = CudaVersion{static_cast<unsigned>(cuda) / 1000, static_cast<unsigned>(cuda) % 1000 / 10};
    }
    unsigned gpus = 0;
    answer.error = count(&gpus);
    if (answer.error != 0) {
        answer.problem = explained(answer.error);
    }
    for (unsigned i = 0; i < gpus; ++i) {
        Device device = nullptr;
        if (const Status status = handle(i, &device); status == 0) {
            answer.gpus.push_back(sighting_of(nvml, device, i));
        } else {
            answer.error = status;
            answer.problem = fmt::format("GPU {}: {}", i, explained(status));
        }
    }
    stop();
    return answer;
}

} // namespace

MethodAnswer ask_nvml(const Host& host) { return asked_in_child(host, Method::nvml, ask); }

} // namespace cag
