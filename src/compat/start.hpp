// What stops a program before any image is looked at: rules 5, 6 (no visible device), 18, 19.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

#include <optional>

namespace cag::compat {

// nullopt: nothing stops it. The first is for modules that the CUDA runtime loads, the second for what goes through the driver API.
[[nodiscard]] std::optional<Decision> stopped_at_start(const FileCoverage& file, const Situation& situation);
[[nodiscard]] std::optional<Decision> stopped_without_runtime(const Situation& situation);

// Rule 5: the oldest CUDA version of a driver on which the file's CUDA runtime starts; nullopt where nothing says which runtime it is.
[[nodiscard]] std::optional<CudaVersion> driver_for_runtime_of(const FileCoverage& file);

} // namespace cag::compat
