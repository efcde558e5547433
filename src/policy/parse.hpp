// Requirements as they are written on the command line.
#pragma once

#include "arch/spec.hpp"
#include "policy/requirement.hpp"
#include "support/result.hpp"

#include <string>
#include <vector>

namespace cag {

// The values of the options, each as given: lists in one value and repeated options are the same.
struct RequirementTexts {
    std::vector<std::string> sass;    // --require-sass 80,90a
    std::vector<std::string> ptx;     // --require-ptx 90
    std::vector<std::string> runs_on; // --runs-on 8.6,"RTX 5090"
    std::vector<std::string> drivers; // --driver 580; empty: for each GPU the newest that drives it
    Environment environment;
    bool jit_allowed = true;
    Scope scope = Scope::every;
};

// One requirement an architecture, and one a pair of GPU and driver. Failure CAG501.
[[nodiscard]] Result<std::vector<Requirement>> parse_requirements(const RequirementTexts& texts);

// "a, b;c" -> {"a", "b", "c"}; empty items are dropped.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

// {"A=1", "B="} -> {{"A", "1"}, {"B", ""}}. Failure CAG505: no `=`.
[[nodiscard]] Result<Environment> parse_environment(const std::vector<std::string>& assignments);

// Failure CAG501. `wanted`: `90-virtual` and `compute_90` cannot be meant where SASS is, nor `sm_90` where PTX is.
[[nodiscard]] Result<std::vector<Arch>> parse_archs(const std::string& item, Code wanted);

// "--require-sass 90a", "--runs-on RTX 5090", "forbid debug": for messages and reports.
[[nodiscard]] std::string to_string(const Requirement& requirement);

} // namespace cag
