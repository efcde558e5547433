// What a finished binary holds, for the runtime guard inside it: cudaarchguard/guard_table.h describes the bytes.
#pragma once

#include "support/bytes.hpp"

#include <cudaarchguard/coverage.hpp>

namespace cag {

struct GuardTable {
    Bytes bytes;
    std::size_t modules = 0; // that the driver loads, alike ones counted one by one
    std::size_t kernels = 0;
    std::size_t names = 0; // of kernels that had room
};

// The modules that the driver loads at start-up, with their kernels' names as far as `room` goes. What the program loads by itself is not
// in it. Failure CAG506: the images alone need more.
[[nodiscard]] Result<GuardTable> guard_table(const FileCoverage& file, std::size_t room);

} // namespace cag
