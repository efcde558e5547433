// What stops a program before any image is looked at: rules 5, 6 (no visible device), 18, 19.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

#include <optional>

namespace cag::compat {

// nullopt: nothing stops it.
[[nodiscard]] std::optional<Decision> stopped_at_start(const FileCoverage& file, const Module& module, const Situation& situation);

} // namespace cag::compat
