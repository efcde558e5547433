// The machine that a command is about.
#pragma once

#include "support/result.hpp"
#include "survey/machine.hpp"

#include <string>

namespace cag {

// The recorded one, the one whose files lie under `root`, or this one.
[[nodiscard]] Result<Machine> machine_of(const std::string& root, const std::string& from, bool probe);

} // namespace cag
