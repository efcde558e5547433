// The runtime guard for Python packages: one file without dependencies, around the same tables as the guard of programs.
#pragma once

#include "support/result.hpp"

#include <cudaarchguard/coverage.hpp>

#include <string>

namespace cag {

// Files without kernels that the driver loads at start-up are left out. Failure CAG507.
[[nodiscard]] Result<std::string> guard_python(const Coverage& coverage);

} // namespace cag
