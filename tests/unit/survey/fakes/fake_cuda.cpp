// libcuda.so.1 as far as survey uses it. Hides what CUDA_VISIBLE_DEVICES hides, where that is a list of numbers.
#include "fake_machine.hpp"

#include <cstdio>
#include <cstring>

namespace {

const std::vector<FakeGpu>& visible() {
    static const std::vector<FakeGpu> gpus = [] {
        std::vector<FakeGpu> all;
        const FakeMachine& machine = fake_machine();
        for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
            all.push_back(machine.gpus[machine.order.empty() ? i : static_cast<std::size_t>(machine.order[i])]);
        }
        const char* chosen = std::getenv("CUDA_VISIBLE_DEVICES");
        if (chosen == nullptr) {
            return all;
        }
        std::vector<FakeGpu> some;
        std::istringstream parts(chosen);
        for (std::string part; std::getline(parts, part, ',');) {
            some.push_back(all[std::stoul(part)]);
        }
        return some;
    }();
    return gpus;
}

} // namespace

extern "C" {

int cuInit(unsigned) { return fake_machine().cuda != 0 ? fake_machine().cuda : visible().empty() ? 100 : 0; }

int cuDriverGetVersion(int* version) {
    *version = fake_machine().supports;
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = static_cast<int>(visible().size());
    return 0;
}

int cuDeviceGet(int* device, int index) {
    *device = index;
    return 0;
}

int cuDeviceGetName(char* text, int size, int device) {
    std::snprintf(text, static_cast<std::size_t>(size), "%s", visible()[static_cast<std::size_t>(device)].name.c_str());
    return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    const FakeGpu& gpu = visible()[static_cast<std::size_t>(device)];
    *value = attribute == 75 ? gpu.major : attribute == 76 ? gpu.minor : attribute == 33 ? static_cast<int>(gpu.bus) : 0;
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char* id, int device) {
    std::memset(id, 0, 16);
    const std::string& digits = visible()[static_cast<std::size_t>(device)].id;
    for (std::size_t i = 0; i < 4; ++i) {
        id[i] = static_cast<unsigned char>(std::stoul(digits.substr(i * 2, 2), nullptr, 16));
    }
    return 0;
}

int cuDeviceTotalMem_v2(std::size_t* memory, int) {
    *memory = std::size_t{79} << 30U; // a little less than NVML says, as on real machines
    return 0;
}
}
