// A libcuda.so.1 that stands for any driver and any GPUs, as the environment says:
//
//   FAKE_CUDA_DRIVER=13000                                   cuDriverGetVersion
//   FAKE_CUDA_GPUS="9.0 NVIDIA H200,8.6 GeForce RTX 3090"    left out: a machine without a GPU
//   CUDA_VISIBLE_DEVICES=1                                   indices, as the driver takes them
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int no_device = 100;
constexpr int invalid_device = 101;
constexpr int most = 8;

struct Gpu {
    int major = 0;
    int minor = 0;
    char name[64] = "";
};

struct Gpus {
    Gpu gpu[most];
    int count = 0;
};

Gpus all() {
    Gpus gpus;
    const char* at = std::getenv("FAKE_CUDA_GPUS");
    while (at != nullptr && *at != '\0' && gpus.count < most) {
        Gpu& gpu = gpus.gpu[gpus.count++];
        std::sscanf(at, "%d.%d %63[^,]", &gpu.major, &gpu.minor, gpu.name);
        const char* comma = std::strchr(at, ',');
        at = comma == nullptr ? nullptr : comma + 1;
    }
    return gpus;
}

Gpus visible() {
    const Gpus gpus = all();
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    if (list == nullptr) {
        return gpus;
    }
    Gpus chosen;
    for (const char* at = list; *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        const long index = std::strtol(at, &end, 10);
        if (index >= gpus.count) {
            break;
        }
        chosen.gpu[chosen.count++] = gpus.gpu[index];
        at = *end == ',' ? end + 1 : end;
    }
    return chosen;
}

} // namespace

extern "C" {

int cuInit(unsigned) { return visible().count == 0 ? no_device : 0; }

int cuDriverGetVersion(int* version) {
    const char* text = std::getenv("FAKE_CUDA_DRIVER");
    *version = text == nullptr ? 13000 : std::atoi(text);
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = visible().count;
    return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    const Gpus gpus = visible();
    if (device < 0 || device >= gpus.count) {
        return invalid_device;
    }
    const Gpu& gpu = gpus.gpu[device];
    *value = attribute == 75 ? gpu.major : attribute == 76 ? gpu.minor : attribute == 16 ? 100 : 0;
    return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
    const Gpus gpus = visible();
    if (device < 0 || device >= gpus.count) {
        return invalid_device;
    }
    std::snprintf(name, static_cast<std::size_t>(size), "%s", gpus.gpu[device].name);
    return 0;
}
}
