// The runtime guard for Python packages: one file without dependencies, around the same tables as the guard of programs.
#pragma once

#include "report/guard_table.hpp"

#include <string>
#include <vector>

namespace cag {

// Files without kernels that the driver loads at start-up are left out.
[[nodiscard]] std::string guard_python(const std::vector<GuardTable>& files);

} // namespace cag
