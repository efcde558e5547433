// The driver API, libcuda: what a CUDA program gets, in its order and with what CUDA_VISIBLE_DEVICES leaves of it. No context is made.
#include "data/tables.hpp"
#include "survey/library.hpp"
#include "survey/methods.hpp"

#include <fmt/format.h>

#include <array>

namespace cag {
namespace {

using Status = int; // CUresult
using Device = int;

enum Attribute : int { major_capability = 75, minor_capability = 76, pci_bus = 33, pci_slot = 34, pci_domain = 50 };

std::string explained(Status status) {
    const std::string_view name = data::error_name(status); // CUresult and cudaError_t share their numbers
    return name.empty() ? fmt::format("cuInit gives error {}", status) : fmt::format("cuInit gives error {} ({})", status, name);
}

Sighting sighting_of(const Library& cuda, Device device, unsigned index) {
    Sighting gpu;
    gpu.index = index;
    std::array<char, 256> name{};
    if (auto* call = cuda.find<Status(char*, int, Device)>("cuDeviceGetName");
        call != nullptr && call(name.data(), static_cast<int>(name.size() - 1), device) == 0) {
        gpu.name = name.data();
    }
    auto* attribute = cuda.find<Status(int*, int, Device)>("cuDeviceGetAttribute");
    const auto ask = [&](Attribute which) {
        int value = 0;
        return attribute != nullptr && attribute(&value, which, device) == 0 && value >= 0 ? std::optional(static_cast<unsigned>(value))
                                                                                           : std::nullopt;
    };
    const auto major = ask(major_capability);
    const auto minor = ask(minor_capability);
    if (major && minor) {
        gpu.capability = ComputeCapability{*major, *minor};
    }
    const auto bus = ask(pci_bus);
    const auto slot = ask(pci_slot);
    if (bus && slot) {
        gpu.pci_bus_id = fmt::format("{:04x}:{:02x}:{:02x}.0", ask(pci_domain).value_or(0), *bus, *slot);
    }
    std::array<unsigned char, 16> id{};
    if (auto* call = cuda.find<Status(unsigned char*, Device)>("cuDeviceGetUuid_v2", "cuDeviceGetUuid");
        call != nullptr && call(id.data(), device) == 0) {
        gpu.uuid = "GPU-";
        for (std::size_t i = 0; i < id.size(); ++i) {
            gpu.uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
        }
    }
    std::size_t memory = 0;
    if (auto* call = cuda.find<Status(std::size_t*, Device)>("cuDeviceTotalMem_v2"); call != nullptr && call(&memory, device) == 0) {
        gpu.memory = memory;
    }
    return gpu;
}

MethodAnswer ask(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::driver_api;
    const Library cuda(host, "libcuda.so.1");
    if (!cuda) {
        answer.problem = cuda.problem();
        return answer;
    }
    auto* init = cuda.find<Status(unsigned)>("cuInit");
    auto* count = cuda.find<Status(int*)>("cuDeviceGetCount");
    auto* get = cuda.find<Status(Device*, int)>("cuDeviceGet");
    if (init == nullptr || count == nullptr || get == nullptr) {
        answer.problem = "libcuda.so.1 lacks the functions of the driver API";
        return answer;
    }
    int version = 0;
    if (auto* call = cuda.find<Status(int*)>("cuDriverGetVersion"); call != nullptr && call(&version) == 0 && version > 0) {
        answer.cuda = CudaVersion{static_cast<unsigned>(version) / 1000, static_cast<unsigned>(version) % 1000 / 10};
    }
    answer.error = init(0);
    if (answer.error != 0) {
        answer.problem = explained(answer.error);
        return answer;
    }
    int gpus = 0;
    answer.error = count(&gpus);
    for (int i = 0; i < gpus; ++i) {
        Device device = 0;
        if (get(&device, i) == 0) {
            answer.gpus.push_back(sighting_of(cuda, device, static_cast<unsigned>(i)));
        }
    }
    return answer;
}

} // namespace

MethodAnswer ask_driver_api(const Host& host) { return asked_in_child(host, Method::driver_api, ask); }

} // namespace cag
