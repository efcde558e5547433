// The library: what binaries hold, and what the NVIDIA driver will do with every kernel.
//
//     const cag::Coverage coverage = cag::read_binaries({"libmylib.so"});
//     const auto gpu = cag::find_gpu("RTX 5090");
//     const auto driver = cag::find_driver("580");
//     const cag::Prediction prediction = cag::predict(coverage, gpu.value(), driver.value());
//
// CMake: find_package(CudaArchGuard REQUIRED COMPONENTS Library), target CudaArchGuard::cudaarchguard. No GPU, driver or CUDA toolkit is
// needed. Everything is plain data and functions without state, safe to call from several threads. Nothing throws but std::bad_alloc.
#pragma once

#include <cudaarchguard/arch.hpp>
#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

// A value, or the reason why there is none, in the words of the program.
template <class T>
class Found {
  public:
    Found(T value) : value_(std::move(value)) {}
    static Found nothing(std::string why) {
        Found found;
        found.why_ = std::move(why);
        return found;
    }

    explicit operator bool() const { return value_.has_value(); }
    [[nodiscard]] const T& value() const { return value_.value(); } // std::bad_optional_access where there is none
    [[nodiscard]] const std::string& why() const { return why_; }   // "" where there is one

  private:
    Found() = default;
    std::optional<T> value_;
    std::string why_;
};

// Reads programs, libraries, objects, cubin, fatbin and PTX files, archives, wheels and folders of them, kernels included. Never fails as a
// whole: a path that cannot be read is a file with problems (FileCoverage::problems).
[[nodiscard]] Coverage read_binaries(const std::vector<std::string>& paths);

// "9.0", "sm_90", "RTX 4090", "GH100", "pci:10de:2330".
[[nodiscard]] Found<Gpu> find_gpu(std::string_view text);

// "580", "580.159.04", "cuda:13.0"; and the newest that is known to drive a GPU.
[[nodiscard]] Found<Driver> find_driver(std::string_view text);
[[nodiscard]] Driver newest_driver(const Gpu& gpu);

// predict() itself is in <cudaarchguard/prediction.hpp>.

} // namespace cag
