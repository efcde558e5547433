// How large a program gets with another list of architectures, from a build of it that exists.
#pragma once

#include "arch/spec.hpp"

#include <cudaarchguard/coverage.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace cag {

// Stored bytes of each target's images. Where a module has no image of that architecture, the mean of its images of the same kind stands
// in. nullopt: no module has an image of that kind.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> estimated_sizes(const Coverage& coverage, const std::vector<Target>& targets);

} // namespace cag
