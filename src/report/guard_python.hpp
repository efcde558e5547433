// The runtime guard for Python packages: one file without dependencies.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <string>

namespace cag {

[[nodiscard]] std::string guard_python(const Coverage& coverage);

} // namespace cag
