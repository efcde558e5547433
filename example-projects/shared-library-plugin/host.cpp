#include <cudaarchguard/runtime_guard.hpp>

#include <cstdio>
#include <dlfcn.h>

int main(int argc, char** argv) {
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (plugin == nullptr) {
        std::fprintf(stderr, "usage: host PLUGIN (%s)\n", argc > 1 ? dlerror() : "none given");
        return 1;
    }
    // The plugin brought its table: from here on its kernels count.
    cag::guard::set_policy(cag::guard::Policy::cpu);
    if (cag::guard::decide() == cag::guard::Decision::use_cpu) {
        std::printf("doubled 21 on the CPU: %d\n", 21 * 2);
        return 0;
    }
    const auto run = reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_double"));
    std::printf("doubled 21 on the GPU: %d\n", run(21));
    return 0;
}
