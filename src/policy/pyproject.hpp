// Requirements of a Python package, in its pyproject.toml:
//
//   [tool.cuda-arch-guard]
//   runs-on = ["RTX 3090", "H100"]
//   driver = ["570"]
//
// The keys are the options of `verify` without their dashes; lists and single texts are both fine.
#pragma once

#include "policy/parse.hpp"

#include <optional>

namespace cag {

struct PyprojectRequirements {
    RequirementTexts requirements;
    std::vector<std::string> environment; // env = ["CUDA_MODULE_LOADING=EAGER"]
    bool claims = false;
    std::vector<std::string> claims_from;
    bool strict = false;
    bool allow_empty = false;
};

// nullopt: the text has no such table. Failure CAG505: it is no TOML, or the table has a key or value that it cannot have.
[[nodiscard]] Result<std::optional<PyprojectRequirements>> parse_pyproject(const std::string& text);

} // namespace cag
