// The policy that holds for what is there now: a project starts green, and what it has cannot get lost.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <string>
#include <vector>

namespace cag {

// The text of a policy file. Files that hold the same share a section; what some modules of a file lack although most have it is required
// and waived. `inputs`: the paths that were read; files are named from there. `expires`: the last day of the waivers.
[[nodiscard]] std::string baseline_policy(const Coverage& coverage, const std::vector<std::string>& inputs, const std::string& expires);

} // namespace cag
