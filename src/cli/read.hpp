// Reading the inputs of a command.
#pragma once

#include "cli/options.hpp"
#include "coverage/scan.hpp"

namespace cag {

[[nodiscard]] Coverage read_inputs(const InputOptions& options, ScanDepth depth);

// True where something in the inputs could not be read: no answer about them is complete.
[[nodiscard]] bool is_partial(const Coverage& coverage);

} // namespace cag
