// CMake presets for the machines and groups of a lab.
#pragma once

#include "lab/solve.hpp"

namespace cag {

// A document of schema version 6, to be included from a user's CMakePresets.json: for each machine and group a configure, build, test and
// workflow preset `lab-NAME`, which inherit `lab-common`.
[[nodiscard]] std::string lab_presets(const Lab& lab, const std::string& lab_path);

} // namespace cag
