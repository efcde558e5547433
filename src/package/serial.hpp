// What was read, as bytes for the cache. Only this version of the program reads them again.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

[[nodiscard]] std::string to_bytes(const Coverage& coverage);
// nullopt where the bytes are not whole.
[[nodiscard]] std::optional<Coverage> coverage_from_bytes(std::string_view bytes);

} // namespace cag
