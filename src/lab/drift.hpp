// Whether a machine is still what the lab file says.
#pragma once

#include "lab/lab.hpp"
#include "survey/machine.hpp"

#include <string>
#include <vector>

namespace cag {

// What differs: the GPUs by compute capability and number, and the driver as exactly as it is declared (a branch, a version, a CUDA
// version).
[[nodiscard]] std::vector<std::string> drift_of(const LabMachine& declared, const Machine& surveyed);

// The declared toolkits that are not among those installed ("13.0"). One more than declared is no drift.
[[nodiscard]] std::vector<std::string> drift_of_toolkits(const LabMachine& declared, const std::vector<std::string>& installed);

} // namespace cag
