// What the driver will do: GPUs, drivers, and the outcome for a kernel.
#pragma once

#include <cudaarchguard/arch.hpp>
#include <cudaarchguard/coverage.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cag {

struct Gpu {
    ComputeCapability capability;
    bool tegra = false;
    std::string name;     // product as asked for ("RTX 5090"), or "" when asked for by compute capability
    std::string platform; // "desktop", "workstation", "datacenter", "tegra", "soc"; "" where only the compute capability is known
};

// A CUDA version, as a toolkit or a driver has it: 13.0.
struct CudaVersion {
    unsigned major = 0;
    unsigned minor = 0;

    auto operator<=>(const CudaVersion&) const = default;
};

struct Driver {
    std::string name;    // as asked for: "580", "580.159.04", "cuda:13.0"
    unsigned branch = 0; // 580
    CudaVersion cuda;    // the newest CUDA version it supports: 13.0
    PtxIsa max_ptx;      // the newest PTX ISA that it compiles: 9.0
    // GPUs it drives, both ends included.
    ComputeCapability oldest_gpu;
    ComputeCapability newest_gpu;
    bool extrapolated = false; // newer than the tables: answers are guesses and say so
    // Forward compatibility (cuda-compat): the branch of the kernel driver, older than the libcuda that the rest describes.
    std::optional<unsigned> compat_over;
};

// Environment variables of the process that act on loading, for example CUDA_FORCE_PTX_JIT=1.
using Environment = std::map<std::string, std::string>;

enum class OutcomeKind : std::uint8_t { sass, jit, fails, unknown };

// Where the answer comes from: run on that GPU and driver; NVIDIA's guides; public threads.
enum class Confidence : std::uint8_t { measured, documented, reported };

struct CudaError {
    int code = 0;     // cudaError_t, 209
    std::string name; // "cudaErrorNoKernelImageForDevice"
};

struct ImageChoice {
    ImageKind kind = ImageKind::sass;
    Arch arch;
    std::size_t module = 0; // index in the file: for a relinked program the input's module
    std::size_t image = 0;  // index in that module
};

// What happens when a kernel is first used on a GPU with a driver and an environment.
struct Outcome {
    std::string kernel; // mangled; "" where the module names no kernels (payload not read)
    Gpu gpu;
    Driver driver;
    Environment environment;
    OutcomeKind kind = OutcomeKind::unknown;
    std::optional<ImageChoice> image;
    std::optional<CudaError> error;
    Confidence confidence = Confidence::documented;
    std::vector<int> rules; // numbers of the rules that decided, in order (docs/rules.md)
    std::vector<std::string> reasons;
    std::vector<std::string> warnings; // it runs, and yet: an empty body, PTX that only the newest driver compiles
    std::vector<std::string> fixes;    // cheapest first
};

// The outcomes of one module's kernels, in the order of the kernels' names.
struct ModulePrediction {
    std::size_t module = 0; // index in the file
    std::vector<Outcome> outcomes;
};

struct FilePrediction {
    std::size_t file = 0; // index in the coverage
    std::vector<ModulePrediction> modules;
    std::uint64_t ptx_to_compile = 0; // bytes of PTX text that the driver compiles when all of it is used
};

struct Prediction {
    std::vector<FilePrediction> files;
};

// Pure: reads nothing but its arguments and the built-in tables.
// The modules that the driver loads are judged (registered, linked with the kernels of its inputs, raw, embedded; whole-program objects in
// .o and .a as if linked). One outcome for each kernel, GPU and driver.
[[nodiscard]] Prediction predict(const Coverage& coverage, const Gpu& gpu, const Driver& driver, const Environment& environment = {});

// The outcomes of one file, each given away as it is found: a package with many kernels is counted without keeping them all.
void for_each_outcome(const FileCoverage& file, const Gpu& gpu, const Driver& driver, const Environment& environment,
                      const std::function<void(std::size_t module, Outcome outcome)>& take);

[[nodiscard]] const char* to_string(OutcomeKind kind);      // "sass", "jit", "fails", "unknown"
[[nodiscard]] const char* to_string(Confidence confidence); // "measured", "documented", "reported"
[[nodiscard]] std::string to_string(CudaVersion version);   // "13.0"

} // namespace cag
