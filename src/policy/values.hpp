// Sizes and days as a policy file writes them.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace cag {

// 100 and "2.5 KiB"; nullopt: neither a number of bytes nor a size.
[[nodiscard]] std::optional<std::uint64_t> size_of(const nlohmann::json& value);

} // namespace cag
