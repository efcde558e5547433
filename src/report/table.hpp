// A table of texts: columns as wide as their widest cell, two blanks between them.
#pragma once

#include "report/style.hpp"

#include <string>
#include <vector>

namespace cag {

using TableRow = std::vector<std::string>;

// `heading`: the first row is one.
[[nodiscard]] std::string table_text(const Style& style, const std::vector<TableRow>& rows, bool heading = true);

} // namespace cag
