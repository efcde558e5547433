// A text that a person recorded: a log, the output of a tool, a result kept for later.
#pragma once

#include "support/result.hpp"

#include <string>

namespace cag {

// "-": standard input. Regular files and standard input of up to 64 MiB.
[[nodiscard]] Result<std::string> text_of_file(const std::string& path);

} // namespace cag
