// libnvidia-ml.so.1 as far as survey uses it.
#include "fake_machine.hpp"

#include <cstdio>
#include <cstring>

extern "C" {

int nvmlInit_v2() { return fake_machine().nvml; }
int nvmlShutdown() { return 0; }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::snprintf(text, size, "%s", fake_machine().driver.c_str());
    return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    *version = fake_machine().supports;
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(fake_machine().gpus.size());
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = const_cast<FakeGpu*>(&fake_machine().gpus[index]);
    return 0;
}

int nvmlDeviceGetName(void* device, char* text, unsigned size) {
    std::snprintf(text, size, "%s", device == nullptr ? "NVIDIA H100 MIG 1g.10gb" : static_cast<FakeGpu*>(device)->name.c_str());
    return 0;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
    if (device == nullptr) {
        std::snprintf(text, size, "MIG-22222222-0000-0000-0000-000000000000");
    } else {
        std::snprintf(text, size, "GPU-%s-0000-0000-0000-000000000000", static_cast<FakeGpu*>(device)->id.c_str());
    }
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
    *major = static_cast<FakeGpu*>(device)->major;
    *minor = static_cast<FakeGpu*>(device)->minor;
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void* device, void* info) {
    struct {
        char legacy[16];
        unsigned domain, bus, slot, device, subsystem;
        char bus_id[32];
    } pci{};
    pci.bus = static_cast<FakeGpu*>(device)->bus;
    pci.device = static_cast<FakeGpu*>(device)->device << 16U | 0x10deU;
    std::memcpy(info, &pci, sizeof pci);
    return 0;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
    memory[0] = 80ULL << 30U;
    return 0;
}

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    const int mig = fake_machine().mig;
    *current = *pending = mig >= 0 && device == &fake_machine().gpus[static_cast<std::size_t>(mig)] ? 1 : 0;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
    *count = 2;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** device) {
    *device = nullptr;
    return index == 0 ? 0 : 6; // not found: only one slice is made
}

int nvmlDeviceGetGpuFabricInfo(void*, unsigned char* info) {
    std::memset(info, 0, 28);
    info[24] = fake_machine().fabric;
    return 0;
}
}
