// Findings that say the same of several modules are told once: one of them in full, the others counted.
#pragma once

#include "policy/requirement.hpp"

#include <string>
#include <vector>

namespace cag {

struct FindingGroup {
    const Finding* first;
    std::vector<const Finding*> others;
};

// In the order of the findings. Findings are alike that have code, level, requirement and fixes in common.
[[nodiscard]] std::vector<FindingGroup> grouped(const std::vector<Finding>& findings);

// "likewise modules 1-11 of lib.so: scale(float*), ... and 47 more", one line a file; behind the third file "and 4 more files"
// unless all are wanted.
[[nodiscard]] std::vector<std::string> others_in(const FindingGroup& group, bool all = false);

// "lib.so", "pkg.whl!pkg/lib.so"
[[nodiscard]] std::string file_of(const Finding& finding);

// "fail: 1 of 3 requirements not met"
[[nodiscard]] std::string headline(const Judgement& judgement);

} // namespace cag
