// The log explainer: one line of each kind of public failure, and what it must be taken for.
#include "data/tables.hpp"
#include "doctor/explain_log.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace cag;

namespace {

struct Known {
    const char* id;
    const char* log;
    const char* cause; // a part of what is said
};

const std::vector<Known> logs{
    {"nvcc-unsupported-arch", "nvcc fatal   : Unsupported gpu architecture 'compute_30'", "cannot compile for 30"},
    {"ptxas-gpu-name", "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "does not know sm_121a"},
    {"nvrtc-arch", "nvrtc: error: invalid value for --gpu-architecture (-arch)", "older than the GPU"},
    {"nvrtc-builtins", "nvrtc: error: failed to open libnvrtc-builtins.so.12.2.", "libnvrtc-builtins.so.12.2"},
    {"host-compiler", "#error -- unsupported GNU version! gcc versions later than 12 are not supported!", "gcc 12 is the newest"},
    {"nvlink-arch", "nvlink warning : SM Arch ('sm_90') not found in 'libmath.a:add.o'", "wants sm_90, and libmath.a:add.o"},
    {"nvlink-undefined", "nvlink error   : Undefined reference to '_Z3addii' in 'main.o' (target: sm_80)", "does not find _Z3addii"},
    {"nvlink-newer-input", "nvlink fatal   : Input file 'libcudadevrt.a:cuda_device_runtime.o' newer than toolkit (129 vs 120)",
     "nvlink of toolkit 120"},
    {"relocation-overflow", "crti.o: in function `_init': relocation truncated to fit: R_X86_64_PC32 against `.nvFatBinSegment'",
     "more than 2 GiB apart"},
    {"cmake-architectures-empty", "CMAKE_CUDA_ARCHITECTURES must be non-empty if set.", "empty value"},
    {"torch-arch-list", "ValueError: Unknown CUDA arch (8.8+PTX) or GPU not supported", "\"8.8+PTX\""},
    {"torch-cuda-mismatch",
     "RuntimeError: The detected CUDA version (10.1) mismatches the version that was used to compile PyTorch (12.1).",
     "nvcc is 10.1 and PyTorch was built with CUDA 12.1"},
    {"torch-not-compatible", "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
     "no code for NVIDIA GeForce RTX 5090 (sm_120)"},
    {"no-kernel-image", "RuntimeError: CUDA error: no kernel image is available for execution on the device", "Error 209"},
    {"unsupported-ptx", "CUDA error 222 at a.cu:5: the provided PTX was compiled with an unsupported toolchain.", "Error 222"},
    {"unsupported-ptx", "ptxas application ptx input, line 9; fatal : Unsupported .version 8.7; current version is '8.4'", "Error 222"},
    {"invalid-image", "RuntimeError: Triton Error [CUDA]: device kernel image is invalid", "Error 200"},
    {"symbol-not-found", "CUDA error: named symbol not found", "Error 500"},
    {"invalid-device-function", "terminate called: parallel_for failed: cudaErrorInvalidDeviceFunction: invalid device function",
     "Error 98"},
    {"driver-too-old", "CUDA driver version is insufficient for CUDA runtime version", "Error 35"},
    {"stub-library", "CUDA driver is a stub library", "Error 34"},
    {"system-not-ready", "Error 802: system not yet initialized", "fabric"},
    {"driver-mismatch", "Failed to initialize NVML: Driver/library version mismatch", "803"},
    {"compat-refused", "CUDA error: forward compatibility was attempted on non supported HW", "Error 804"},
    {"jit-compiler-missing", "CUDA error: PTX JIT compiler library not found", "libnvidia-ptxjitcompiler"},
    {"container-gate", "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver",
     "asks for cuda>=12.8"},
    {"wsl-or-no-device", "numba.cuda.cudadrv.error.CudaSupportError: CUDA_ERROR_NO_DEVICE", "no GPU is visible"},
    {"dmesg-legacy-branch",
     "[    5.1] NVRM: The NVIDIA Quadro P400 GPU installed in this system is supported through the NVIDIA 580.xx Legacy drivers.",
     "branch 580 is the last"},
    {"dmesg-open-module",
     "[    5.1] NVRM: installed in this system is not supported by open nvidia.ko because it does not include the required GPU System "
     "Processor (GSP).",
     "begins with Turing"},
    {"dmesg-needs-open", "[    5.1] NVRM: The NVIDIA GPU 0000:01:00.0 requires use of the NVIDIA open kernel modules.",
     "needs the open kernel module"},
    {"xid-31", "[ 99.0] NVRM: Xid (PCI:0000:01:00): 31, pid=1234, name=python", "Xid 31"},
    {"xid-79", "[ 99.0] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", "fallen off the bus"},
    {"xid-other", "[ 99.0] NVRM: Xid (PCI:0000:01:00): 45, pid=1", "Xid 45"},
    {"tensorrt-plan", "engine plan file is generated on an incompatible device, expecting compute 6.1 got compute 7.5, please rebuild.",
     "compute capability 7.5 where 6.1"},
    {"tensorflow-jit",
     "TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from "
     "PTX, which could take 30 minutes or longer.",
     "compiles its PTX"},
    {"xla-ptxas",
     "The NVIDIA driver's CUDA version is 12.2 which is older than the ptxas CUDA version (12.3.107). Because the driver is older than the "
     "ptxas version, XLA is disabling parallel compilation",
     "XLA's ptxas is newer"},
    {"missing-cudart", "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
     "wants the CUDA 12 runtime"},
    {"undefined-cuda-symbol", "ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12",
     "another copy"},
    {"find-package-cuda", "Could NOT find CUDA (missing: CUDA_TOOLKIT_ROOT_DIR)", "gone from CMake"},
    {"cmake-native", "CMake Error: CMAKE_CUDA_ARCHITECTURES is set to \"native\", but no NVIDIA GPU was detected.", "none answers"},
    {"cmake-architectures-invalid", "CMAKE_CUDA_ARCHITECTURES:\n\n    8.9\n\n  is not one of the following:", "without a dot"},
};

} // namespace

TEST_CASE("Each public failure's output is taken for what it is") {
    for (const Known& known : logs) {
        const auto findings = explain_log(std::string("some line before\n") + known.log + "\nand one behind\n");
        INFO(known.log);
        REQUIRE_FALSE(findings.empty());
        CHECK(findings.front().id == known.id);
        CHECK(findings.front().cause.find(known.cause) != std::string::npos);
        CHECK(findings.front().line >= 2);
        CHECK_FALSE(findings.front().fixes.empty());
    }
}

TEST_CASE("Every pattern has a line that shows it") {
    std::set<std::string> shown;
    for (const Known& known : logs) {
        shown.insert(known.id);
    }
    for (const data::LogPattern& pattern : data::log_patterns()) {
        INFO(pattern.id);
        CHECK(shown.count(std::string(pattern.id)) == 1);
    }
}

TEST_CASE("What explains more comes first, and repetitions are counted") {
    const auto findings =
        explain_log("RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
                    "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
                    "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n");
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].id == "torch-not-compatible");
    CHECK(findings[1].count == 2);
    CHECK(findings[1].asynchronous); // the traceback's line is not the guilty one
}

TEST_CASE("Logs without such lines explain nothing") {
    CHECK(explain_log("").empty());
    CHECK(explain_log("error: 'foo' was not declared in this scope\nmake: *** [all] Error 2\n").empty());
    CHECK(explain_log(std::string(100000, 'x') + "cuda" + std::string(100000, '(')).empty());
}
