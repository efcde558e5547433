// What to change so that a binary gets what it lacks: one line a build tool, ready to paste.
#pragma once

#include "arch/spec.hpp"

#include <string>
#include <vector>

namespace cag {

// For one image: "nvcc: -gencode=arch=compute_90,code=sm_90", then the same for CMake and for PyTorch extensions.
[[nodiscard]] std::vector<std::string> fixes_for(const Target& target);

} // namespace cag
