// A program of the CUDA runtime, built with the user's nvcc and run: what cudaGetDeviceProperties tells a program.
#include "survey/methods.hpp"
#include "survey/recorded.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cag {
namespace {

// Prints the table that nvidia-smi would print with --query-gpu.
constexpr const char* source = R"(#include <cstdio>
#include <cuda_runtime.h>

int main() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        std::printf("cudaGetDeviceCount gives error %d (%s)\n", static_cast<int>(error), cudaGetErrorName(error));
        return 1;
    }
    std::printf("index,name,compute_cap,pci.bus_id,memory.total\n");
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp gpu;
        if (cudaGetDeviceProperties(&gpu, i) == cudaSuccess) {
            std::printf("%d,%s,%d.%d,%04x:%02x:%02x.0,%llu\n", i, gpu.name, gpu.major, gpu.minor, gpu.pciDomainID, gpu.pciBusID,
                        gpu.pciDeviceID, static_cast<unsigned long long>(gpu.totalGlobalMem >> 20));
        }
    }
    return 0;
}
)";

} // namespace

MethodAnswer ask_cuda_runtime(const Host& host) {
    namespace fs = std::filesystem;
    MethodAnswer answer;
    answer.method = Method::cuda_runtime;
    const std::string nvcc = which(host, "nvcc");
    if (!host.live || nvcc.empty()) {
        answer.problem = host.live ? "nvcc is not on PATH" : "programs of another machine's files are not run";
        return answer;
    }
    std::string folder = (fs::temp_directory_path() / "cuda-arch-guard-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) {
        answer.problem = "no temporary folder can be made in " + fs::temp_directory_path().string();
        return answer;
    }
    std::ofstream(folder + "/probe.cu") << source;
    Host patient = host;
    patient.patience = std::chrono::minutes(2); // nvcc on a loaded machine
    const RunResult built = run_program(patient, {nvcc, folder + "/probe.cu", "-o", folder + "/probe"});
    if (built.status != 0) {
        answer.problem = fmt::format("{} cannot build the probe ({}): {}", nvcc, built.status, trimmed(built.out));
    } else {
        const RunResult run = run_program(host, {folder + "/probe"});
        if (run.status == 0) {
            answer = read_nvidia_smi_csv(run.out);
            answer.method = Method::cuda_runtime;
        } else {
            answer.problem = run.timed_out ? "the probe did not end" : std::string(trimmed(run.out));
            answer.error = run.status;
        }
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return answer;
}

} // namespace cag
