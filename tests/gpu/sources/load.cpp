// Loads files through the driver's and the runtime's loading functions and launches a kernel of each: `load API KERNEL FILE...` prints
// one JSON line a file. APIs: module, module-file, library, library-file (driver), runtime-library, runtime-library-file (runtime).
// An error is given with the step that it came from: load, kernel (asking for it), launch (with the synchronisation).
#include "probe.h"

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void* driver;

template <typename Function>
Function* symbol(const char* name) {
    return reinterpret_cast<Function*>(dlsym(driver, name));
}
#define DRIVER(name) symbol<decltype(name)>(#name)

struct Answer {
    const char* step;
    int error;
    int code[5];
};

// Launches through the runtime's or the driver's function and reads what the kernel wrote.
template <typename Launch>
void run(Answer& answer, Launch launch) {
    int* out = nullptr;
    answer.step = "launch";
    answer.error = cudaMalloc(&out, sizeof answer.code);
    if (answer.error)
        return;
    cudaMemset(out, 0, sizeof answer.code);
    void* arguments[] = {&out};
    answer.error = launch(arguments);
    if (!answer.error)
        answer.error = cudaDeviceSynchronize();
    if (!answer.error)
        cudaMemcpy(answer.code, out, sizeof answer.code, cudaMemcpyDeviceToHost);
    cudaFree(out);
    cudaGetLastError();
}

Answer through_driver(const std::string& api, const char* kernel, const char* file, const std::vector<char>& bytes) {
    Answer answer{"load", 0, {}};
    CUfunction function{};
    if (api == "module" || api == "module-file") {
        CUmodule module{};
        answer.error =
            api == "module" ? DRIVER(cuModuleLoadDataEx)(&module, bytes.data(), 0, nullptr, nullptr) : DRIVER(cuModuleLoad)(&module, file);
        if (answer.error)
            return answer;
        answer.step = "kernel";
        answer.error = DRIVER(cuModuleGetFunction)(&function, module, kernel);
    } else {
        CUlibrary library{};
        answer.error = api == "library" ? DRIVER(cuLibraryLoadData)(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0)
                                        : DRIVER(cuLibraryLoadFromFile)(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0);
        if (answer.error)
            return answer;
        answer.step = "kernel";
        CUkernel handle{};
        answer.error = DRIVER(cuLibraryGetKernel)(&handle, library, kernel);
        if (!answer.error)
            answer.error = DRIVER(cuKernelGetFunction)(&function, handle);
    }
    if (!answer.error)
        run(answer, [&](void** arguments) {
            return static_cast<int>(DRIVER(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
        });
    return answer;
}

Answer through_runtime(const std::string& api, const char* kernel, const char* file, const std::vector<char>& bytes) {
    Answer answer{"load", 0, {}};
    cudaLibrary_t library{};
    answer.error = api == "runtime-library" ? cudaLibraryLoadData(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0)
                                            : cudaLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (answer.error)
        return answer;
    answer.step = "kernel";
    cudaKernel_t handle{};
    answer.error = cudaLibraryGetKernel(&handle, library, kernel);
    if (!answer.error)
        run(answer, [&](void** arguments) {
            return static_cast<int>(cudaLaunchKernel(reinterpret_cast<const void*>(handle), dim3(1), dim3(1), arguments, 0, nullptr));
        });
    return answer;
}

} // namespace

int main(int argc, char** argv) {
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (argc < 4 || !driver) {
        std::fprintf(stderr, driver ? "usage: load API KERNEL FILE...\n" : "there is no NVIDIA driver here\n");
        return 2;
    }
    const std::string api = argv[1];
    const int start = cudaFree(nullptr); // makes the context
    for (int i = 3; i < argc; ++i) {
        std::ifstream input(argv[i], std::ios::binary);
        std::vector<char> bytes{std::istreambuf_iterator<char>(input), {}};
        bytes.push_back(0); // PTX is text that ends with it
        Answer answer{"start", start, {}};
        if (!start)
            answer = api.compare(0, 7, "runtime") == 0 ? through_runtime(api, argv[2], argv[i], bytes)
                                                       : through_driver(api, argv[2], argv[i], bytes);
        cudaGetLastError();
        const int* c = answer.code;
        std::printf(R"({"error": %d, "step": "%s", "code": [%d, %d, %d, %d, %d]})"
                    "\n",
                    answer.error, answer.step, c[0], c[1], c[2], c[3], c[4]);
        std::fflush(stdout);
    }
    return 0;
}
