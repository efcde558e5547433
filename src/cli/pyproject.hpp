// Requirements from the pyproject.toml of a Python package.
#pragma once

#include "cli/options.hpp"
#include "support/result.hpp"

namespace cag {

// The options with the requirements of --pyproject; without any requirement or policy, with those of ./pyproject.toml where it has some.
[[nodiscard]] Result<VerifyOptions> with_pyproject(VerifyOptions options);

} // namespace cag
