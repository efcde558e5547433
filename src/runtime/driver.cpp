// The CUDA driver, through the library that the program uses anyway. Nothing is linked: a program with the guard starts on machines without
// one.
#include "runtime/internal.hpp"

#include <atomic>
#include <dlfcn.h>
#include <initializer_list>
#include <stdlib.h>
#include <string.h>

namespace cag::runtime {
namespace {

// cuda.h's CUresult is an int; these numbers are part of its ABI.
constexpr int attribute_processors = 16;
constexpr int attribute_major = 75;
constexpr int attribute_minor = 76;
constexpr int no_device = 100;
constexpr int no_driver = 35; // cudaErrorInsufficientDriver: what the runtime says where the library is missing

struct Driver {
    int (*init)(unsigned);
    int (*version)(int*);
    int (*count)(int*);
    int (*attribute)(int*, int, int);
    int (*name)(char*, int, int);
    int (*current)(int*);
};

template <class Function>
bool load(void* library, const char* name, Function* function) {
    void* symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != nullptr;
}

// Loaded once and kept. Two threads that come first together load it twice, which the loader counts and nobody notices.
const Driver* driver() {
    static Driver functions;
    static std::atomic<int> state{0}; // 1: there, 2: not there
    if (state.load(std::memory_order_acquire) == 0) {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        Driver loaded{};
        const bool whole = library != nullptr && load(library, "cuInit", &loaded.init) &&
                           load(library, "cuDriverGetVersion", &loaded.version) && load(library, "cuDeviceGetCount", &loaded.count) &&
                           load(library, "cuDeviceGetAttribute", &loaded.attribute) && load(library, "cuDeviceGetName", &loaded.name);
        if (whole) {
            load(library, "cuCtxGetDevice", &loaded.current);
        }
        static std::atomic_flag writing = ATOMIC_FLAG_INIT;
        if (!writing.test_and_set()) {
            functions = loaded;
            state.store(whole ? 1 : 2, std::memory_order_release);
        }
        while (state.load(std::memory_order_acquire) == 0) {
        }
    }
    return state.load(std::memory_order_acquire) == 1 ? &functions : nullptr;
}

const char* set_to_1(const char* first, const char* second) {
    for (const char* name : {first, second}) {
        const char* value = getenv(name);
        if (value != nullptr && strcmp(value, "1") == 0) {
            return name;
        }
    }
    return nullptr;
}

} // namespace

DriverState driver_state() {
    const Driver* const functions = driver();
    DriverState state{no_driver, 0, 0};
    if (functions == nullptr) {
        return state;
    }
    state.error = functions->init(0);
    functions->version(&state.version);
    if (state.error == 0) {
        state.error = functions->count(&state.devices);
    }
    if (state.error == 0 && state.devices == 0) {
        state.error = no_device;
    }
    return state;
}

bool read_device(int ordinal, Device* device) {
    const Driver* const functions = driver();
    int major = 0;
    int minor = 0;
    *device = Device{};
    device->ordinal = ordinal;
    if (functions == nullptr || functions->attribute(&major, attribute_major, ordinal) != 0 ||
        functions->attribute(&minor, attribute_minor, ordinal) != 0) {
        return false;
    }
    device->capability = major * 10 + minor;
    functions->attribute(&device->processors, attribute_processors, ordinal);
    functions->name(device->name, static_cast<int>(sizeof device->name), ordinal);
    return true;
}

// A CUdevice is the ordinal. Without a context there is no current device yet, and the runtime would take the first.
int current_ordinal() {
    const Driver* const functions = driver();
    int ordinal = 0;
    return functions != nullptr && functions->current != nullptr && functions->current(&ordinal) == 0 ? ordinal : 0;
}

JitSwitches jit_switches() {
    return {set_to_1("CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"), set_to_1("CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT")};
}

} // namespace cag::runtime
