// From the decision for a module to the outcome of each kernel: rules 7, 8 and the kernel's side of 10.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace cag::compat {

// A kernel in one image.
struct KernelPlace {
    std::string_view name;
    std::size_t module = 0; // index in the file
    std::size_t image = 0;
    const Kernel* kernel = nullptr;
};

// All kernels of these modules but the device runtime's, ordered by name.
[[nodiscard]] std::vector<KernelPlace> kernels_in(const std::vector<const Module*>& modules);

// The places of one name; `rest` loses them.
[[nodiscard]] std::span<const KernelPlace> next_kernel(std::span<const KernelPlace>& rest);

// The module's decision as it is for one kernel.
[[nodiscard]] Decision decision_for(std::span<const KernelPlace> places, const Decision& of_module, const FileCoverage& file,
                                    const Situation& situation);

} // namespace cag::compat
