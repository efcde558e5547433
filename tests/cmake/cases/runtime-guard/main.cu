// Adds up on the GPU or the CPU. `ask`: only what the guard says. `unguarded`: without asking it. `choose`: the device that fits. `use`:
// adds up on that one and tells its PCI address. `use N`: makes device N current first, and asks about the current one. `explain N`: what
// error N is about. `warn`: prints the sentence and goes on with the GPU.
#include <cudaarchguard/runtime_guard.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int expected = 31 * 32 / 2;

// In launch.cu.
int launch(int* result);
int make_current(int device, char (&pci)[32]);

namespace {

int ask() {
    const cag::guard::Report report = cag::guard::check();
    const char* outcomes[] = {"sass", "jit", "unknown", "none"};
    std::printf("device %d outcome %s error %d: %s\n", report.device, outcomes[report.outcome], report.error, report.message);
    return 0;
}

int on_gpu() {
    int result = 0;
    const int error = launch(&result);
    std::printf("GPU: error %d, result %s\n", error, error == 0 && result == expected ? "right" : "wrong");
    if (error != 0) {
        std::printf("%s\n", cag::guard::explain_last_error(error).c_str());
    }
    return error;
}

int use(int device) {
    char pci[32] = "none";
    int result = 0;
    const int error = make_current(device, pci);
    const cag::guard::Report report = cag::guard::check();
    std::printf("device %d is current, device %d was checked: %s\n", device, report.device, report.message);
    std::printf("PCI %s: error %d, result %s\n", pci, error, error == 0 && launch(&result) == 0 && result == expected ? "right" : "wrong");
    return error;
}

} // namespace

int main(int argc, char** argv) {
    const auto is = [&](const char* word) { return argc > 1 && std::strcmp(argv[1], word) == 0; };
    if (is("ask")) {
        return ask();
    }
    if (is("choose")) {
        std::printf("chosen: device %d\n", cag::guard::choose_device());
        return 0;
    }
    if (is("use")) {
        return use(argc > 2 ? std::atoi(argv[2]) : cag::guard::choose_device());
    }
    if (is("explain") && argc > 2) {
        std::printf("explained: %s\n", cag::guard::explain_last_error(std::atoi(argv[2])).c_str());
        return 0;
    }
    cag::guard::set_policy(is("warn") ? cag::guard::Policy::warn : cag::guard::Policy::cpu);
    if (!is("unguarded") && cag::guard::decide() == cag::guard::Decision::use_cpu) {
        std::printf("CPU: result right\n");
        return 0;
    }
    return on_gpu();
}
