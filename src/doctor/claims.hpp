// What a framework says of itself: the CUDA release it was built with, the architectures it has. Read from its files.
#pragma once

#include "survey/inventory.hpp"

#include <string>

namespace cag {

struct Claims {
    std::string version; // with the local part that metadata may lack: "2.8.0+cu128"
    std::string cuda;    // "12.8"
    std::string archs;   // "sm_75 sm_80 sm_90"
};

[[nodiscard]] Claims claims_of(const Host& host, const PythonPackage& package);

} // namespace cag
