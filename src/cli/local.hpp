// `local` among GPUs and drivers: what this machine has.
#pragma once

#include "support/result.hpp"

#include <string>
#include <vector>

namespace cag {

// The same lists with each `local` replaced by the GPUs, or the driver, of this machine. It is looked at only where it is named. Says on
// standard error what was found. Failure CAG501.
[[nodiscard]] Result<void> replace_local(std::vector<std::string>& gpus, std::vector<std::string>& drivers);

} // namespace cag
