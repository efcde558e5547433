// Runs the units of a test program in order and prints one JSON line a kernel.
//
//   UNITS       how many units there are; those of a library that is opened at run time are found by name
//   LIBRARIES   file names of libraries to open, as string literals with commas between; they lie beside the program
#include "probe.h"

#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

#ifndef LIBRARIES
#define LIBRARIES
#endif

static std::string folder() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    const std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
    return program.substr(0, program.rfind('/') + 1);
}

static UnitFunction find(const std::vector<void*>& places, int unit) {
    const std::string name = "unit_" + std::to_string(unit);
    for (void* place : places) {
        if (void* function = dlsym(place, name.c_str()))
            return reinterpret_cast<UnitFunction>(function);
    }
    return nullptr;
}

int main() {
    std::vector<void*> places{RTLD_DEFAULT};
    const std::vector<const char*> names{LIBRARIES};
    for (const char* name : names) {
        void* library = dlopen((folder() + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        places.push_back(library);
    }
    for (int unit = 0; unit < UNITS; ++unit) {
        const UnitFunction function = find(places, unit);
        if (!function) {
            std::fprintf(stderr, "unit_%d is in no part of the program\n", unit);
            return 2;
        }
        Probe probes[2];
        const int filled = function(probes, 2);
        for (int i = 0; i < filled; ++i) {
            const Probe& p = probes[i];
            std::printf(R"({"unit": %d, "kernel": "%s", "launch": %d, "sync": %d, "symbol": %d, "code": [%d, %d, %d, %d, %d]})"
                        "\n",
                        unit, p.kernel, p.launch, p.sync, p.symbol, p.code[0], p.code[1], p.code[2], p.code[3], p.code[4]);
            std::fflush(stdout);
        }
    }
    return 0;
}
