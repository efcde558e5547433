// What a device link did with its inputs.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <set>
#include <string_view>
#include <vector>

namespace cag {

// True where every image was read and none has kernels, functions or variables: what every host link by nvcc leaves behind.
[[nodiscard]] bool holds_nothing(const Module& module);

// Kernels of NVIDIA's device runtime (libcudadevrt), which a program that launches kernels from kernels is linked with. Static functions
// under -rdc carry the name of their source file.
[[nodiscard]] bool is_device_runtime_kernel(std::string_view name);

// True for a relocatable container that is NVIDIA's device runtime. It brings images for many architectures: they are not the program's.
[[nodiscard]] bool is_device_runtime(const Module& input);

// The kernels that the link dropped because no host code refers to them: nothing can launch them. They are in no linked image, although the
// inputs had them for each, and the file's record of host references does not name them. A kernel that host code refers to, or that the
// inputs lack for one of the targets, is not dropped but missing.
[[nodiscard]] std::set<std::string_view> kernels_dropped_by_link(const FileCoverage& file, const Module& linked,
                                                                 const std::vector<const Module*>& inputs);

} // namespace cag
