// What to do about all findings together.
#pragma once

#include "report/finding_groups.hpp"

#include <string>
#include <vector>

namespace cag {

// The fixes of these groups, each once, and those that differ in one word as one line: "nvcc: -gencode=arch=compute_90,code=sm_90" and the
// same for 120 become one line with both flags, "add 90-real to ..." becomes "add 90-real;120-real to ...".
[[nodiscard]] std::vector<std::string> suggestions(const std::vector<FindingGroup>& groups);

} // namespace cag
