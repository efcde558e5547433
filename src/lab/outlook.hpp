// What the next driver and the next toolkit take from a lab.
#pragma once

#include "lab/solve.hpp"

#include <string>
#include <vector>

namespace cag {

struct Loss {
    std::string what; // "driver R590", "CUDA 13.0"
    const LabPlace* place = nullptr;
    std::string why;
};

// Places that the driver branch after theirs no longer drives, or where it no longer runs the list; places that no list of the toolkit
// after the solution's serves.
[[nodiscard]] std::vector<Loss> losses_next(const std::vector<LabPlace>& places, const Solution& solution);

} // namespace cag
