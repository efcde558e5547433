// What a package says of itself: in its name, its metadata, its version files, its build records.
#pragma once

#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cag {

struct PackageClaim {
    std::string source; // "xformers/cpp_lib.json", "file name"
    std::string says;   // as it stands there: "TORCH_CUDA_ARCH_LIST 7.5 8.0+PTX 9.0a"
    // What that means; each empty where the claim is about something else.
    std::vector<Arch> sass;
    std::vector<Arch> ptx;
    std::optional<unsigned> cuda_major;
    std::optional<unsigned> cuda_minor;
    std::string machine; // "x86_64", "aarch64"
    std::string driver;  // NVIDIA_REQUIRE_CUDA of an image
    // Of a text for people (text_claims.hpp):
    std::string asked;                          // the text as it was asked for; "" for all other claims
    std::size_t line = 0;                       // of the source, from 1; 0: about no line
    std::vector<ComputeCapability> runs_on;     // GPUs that it names
    std::optional<ComputeCapability> and_newer; // "7.5 or newer"
    bool maybe_gpus = false;                    // `sm_86` in a sentence may mean the GPUs as well as the image
    std::string reservation;                    // a word of its sentence by which it may mean the opposite: "not"
};

// True for the names of files that may hold claims: what ScanOptions::wants_text is given.
[[nodiscard]] bool may_hold_claims(const std::string& name);

[[nodiscard]] std::vector<PackageClaim> claims_of(const TextFile& text);
// "torch-2.8.0+cu128-cp311-cp311-manylinux_2_28_x86_64.whl"
[[nodiscard]] std::vector<PackageClaim> claims_of_file_name(const std::string& path);
// The list that PyTorch's libraries keep.
[[nodiscard]] std::vector<PackageClaim> claims_of_library(const FileCoverage& file);

} // namespace cag
