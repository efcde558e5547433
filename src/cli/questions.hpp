// Which GPU with which driver is asked about.
#pragma once

#include "support/result.hpp"

#include <cudaarchguard/prediction.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cag {

// Each GPU with each driver; where none is named, with the newest that drives it. Values may be lists with commas; `local` is this
// machine's.
[[nodiscard]] Result<std::vector<std::pair<Gpu, Driver>>> parse_questions(std::vector<std::string> gpus, std::vector<std::string> drivers);

} // namespace cag
