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

// The policy, valid. Failure CAG508: its first error, and how many there are.
[[nodiscard]] Result<Policy> load_policy(const std::string& path);

// "2026-11-30", `days` later.
[[nodiscard]] std::string today(int days = 0);

} // namespace cag
