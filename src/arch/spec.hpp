// What people write for architectures ("86-real", "8.6+PTX", "Ampere", "RTX 3090"), and the flags that build tools want for it.
#pragma once

#include "support/result.hpp"

#include <cudaarchguard/arch.hpp>
#include <cudaarchguard/prediction.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

enum class Code : std::uint8_t { sass, ptx };

// One image to build: SASS 86, PTX 90a.
struct Target {
    Arch arch;
    Code code = Code::sass;

    auto operator<=>(const Target&) const = default;
};

// What a list of specs asks for.
struct ArchList {
    std::vector<Target> targets;    // ordered, each once
    std::vector<std::string> notes; // what was dropped, joined or decided by default: "sm_100 is left out: sm_100f serves the same GPUs"
};

// The GPUs of machines that a lab declares: those on which programs must run, and those on which they should and need not.
struct LabGpus {
    std::vector<ComputeCapability> must;
    std::vector<ComputeCapability> should;
};

struct ArchSpecOptions {
    // Whose `all` and `all-major` are meant, and who must be able to build the result; nullopt: the newest known, and no check.
    std::optional<CudaVersion> toolkit;
    std::vector<ComputeCapability> local_gpus;            // what `native` means; empty: `native` is refused
    std::function<Result<LabGpus>(std::string_view)> lab; // what `lab:NAME` means; empty: it is refused
    bool drop_unsupported = false;                        // leave out what the toolkit cannot build, with a note, instead of refusing it
};

// Items are separated by `;` or `,`, and by spaces where no name with a space can be meant.
// Failures: CAG501 (not an architecture, with the spelling that was probably meant; an unknown or ambiguous product name), CAG504
// (the toolkit cannot build it; the message names those that can).
[[nodiscard]] Result<ArchList> parse_arch_list(std::string_view text, const ArchSpecOptions& options = {});

enum class GencodeStyle : std::uint8_t {
    nvcc,       // -gencode=arch=compute_86,code=sm_86 ...
    cmake,      // 86-real;90-virtual, for CMAKE_CUDA_ARCHITECTURES
    torch,      // 8.6;9.0+PTX, for TORCH_CUDA_ARCH_LIST
    tensorflow, // sm_86,compute_90, for HERMETIC_CUDA_COMPUTE_CAPABILITIES
    clang,      // --cuda-gpu-arch=sm_86 ...
};

[[nodiscard]] std::optional<GencodeStyle> parse_gencode_style(std::string_view text);

struct GencodeText {
    std::string text;               // the line to paste
    std::vector<std::string> notes; // what this style cannot say, and what was done instead
};

// Failure CAG504: the toolkit cannot build one of the targets; the message names the toolkits that can.
[[nodiscard]] Result<GencodeText> gencode_flags(const ArchList& list, GencodeStyle style, std::optional<CudaVersion> toolkit = {});

// "13.0" and "13.0.88" -> 13.0. Failure CAG504: not a toolkit that the tables know.
[[nodiscard]] Result<CudaVersion> parse_toolkit(std::string_view text);

[[nodiscard]] std::string to_string(const Target& target); // "sm_86", "compute_90a"

} // namespace cag
