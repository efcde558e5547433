// The causes that doctor knows, one function each; a function adds what it finds. Grouped by what they look at.
#pragma once

#include "doctor/doctor.hpp"

namespace cag::doctor {

using Causes = std::vector<PossibleCause>;

// Driver, container, loader: nothing runs at all.
void driver_causes(const Examination& examination, Causes& causes);
// What packages and programs hold, against the GPUs.
void code_causes(const Examination& examination, Causes& causes);
// Compilers: toolkits for building, ptxas and NVRTC inside frameworks.
void compiler_causes(const Examination& examination, Causes& causes);
// Variables that change loading, caches, what else is worth knowing.
void environment_causes(const Examination& examination, Causes& causes);

// "PyTorch" for "torch": the name that people know.
[[nodiscard]] std::string display_name(const InstalledCode& code);

} // namespace cag::doctor
