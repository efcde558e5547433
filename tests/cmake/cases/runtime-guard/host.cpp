// Asks before and after each library with kernels is loaded; with a callback, and without memory from the heap.
#include <cudaarchguard/runtime_guard.hpp>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <thread>
#include <vector>

namespace {

bool counting = false;
int allocations = 0;

cag_guard_decision note(const cag_guard_report* report, void* data) {
    *static_cast<int*>(data) = report->error;
    return CAG_GUARD_USE_CPU;
}

} // namespace

// Of this program; the guard's own would go through malloc, which is counted too.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
    allocations += counting ? 1 : 0;
    return __libc_malloc(size);
}

int main(int argc, char** argv) {
    cag_guard_report report;
    cag_guard_check(CAG_GUARD_CURRENT_DEVICE, &report);
    std::printf("before: %u kernels\n", report.kernels);
    for (int i = 1; i < argc; ++i) {
        if (dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) == nullptr) {
            std::printf("%s\n", dlerror());
            return 1;
        }
        counting = true;
        cag_guard_check(CAG_GUARD_CURRENT_DEVICE, &report);
        counting = false;
        std::printf("after: %u kernels, %u of them fail with %d (%s); %d allocations\n", report.kernels, report.kernels_failing,
                    report.error, report.kernel, allocations);
    }

    int told = 0;
    cag_guard_set_callback(note, &told);
    const bool cpu = cag::guard::decide() == cag::guard::Decision::use_cpu;
    std::printf("callback: %d, %s\n", told, cpu ? "CPU" : "GPU");

    std::vector<std::thread> threads;
    std::vector<int> errors(8);
    for (int& error : errors) {
        threads.emplace_back([&error] { error = cag::guard::check().error; });
    }
    int alike = 0;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        threads[i].join();
        alike += errors[i] == report.error ? 1 : 0;
    }
    std::printf("threads: %d of 8 say the same\n", alike);
    return 0;
}
