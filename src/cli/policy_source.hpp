// Finding and reading the policy file.
#pragma once

#include "policy/policy_file.hpp"
#include "support/result.hpp"

#include <optional>
#include <string>

namespace cag {

// The policy file of the working directory or of the nearest folder above it; nullopt where there is none.
[[nodiscard]] std::optional<std::string> nearest_policy();

// Failure CAG408.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

// The machines of a lab file that must run it on that day, each with its driver; what else is asked of them is as in `each`. Failure
// CAG508: the file, a name in it, or no machine.
[[nodiscard]] Result<std::vector<Requirement>> lab_requirements(const std::string& file, const std::vector<std::string>& machines,
                                                                const Requirement& each, const std::string& day);

// The policy with the machines of its labs, or what is wrong with it. Failure CAG408: it cannot be read.
[[nodiscard]] Result<PolicyReading> read_policy_file(const std::string& path, const std::string& day);

// The policy, valid. Failure CAG508: its first error, and how many there are.
[[nodiscard]] Result<Policy> load_policy(const std::string& path, const std::string& day);

// "2026-11-30", `days` later.
[[nodiscard]] std::string today(int days = 0);

// The day of --date: waivers and dates of machines are judged as on that day. "": today.
[[nodiscard]] Result<std::string> day_asked(const std::string& date);

} // namespace cag
