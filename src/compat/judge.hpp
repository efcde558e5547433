// The modules of a file that the driver loads, and the decision for each of their kernels.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

#include <functional>
#include <string_view>

namespace cag::compat {

// Receives a module's index, a kernel's name and what happens to it; false ends the walk.
using Visitor = std::function<bool(std::size_t module, std::string_view kernel, const Decision& decision)>;

// Modules in their order, kernels ordered by name; a module whose kernels are not known gives one decision for the name "". Containers and
// bare images that the file loads by itself are one pool: each kernel comes once, with the module that serves it best. `only` restricts the
// walk to one module.
void judge_file(const FileCoverage& file, const Situation& situation, const Visitor& visit, std::optional<std::size_t> only = {});

} // namespace cag::compat
