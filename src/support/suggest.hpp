// "Did you mean": the nearest of the names that exist.
#pragma once

#include <string>
#include <vector>

namespace cag {

// The name with the fewest typing errors between it and `word`; "" where none is near enough to be meant.
[[nodiscard]] std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

} // namespace cag
