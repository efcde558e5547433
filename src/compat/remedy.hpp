// What to do about an outcome: sentences and lines to paste.
#pragma once

#include "compat/decision.hpp"

#include <string>
#include <vector>

namespace cag::compat {

// Another build, or a rebuild with SASS for the GPU. `installed_toolkit` is what built the file ("13.0", or ""): a toolkit that has dropped
// the GPU cannot help.
[[nodiscard]] Fixes add_image(const Situation& situation, const std::string& installed_toolkit);

// The same for a device-linked program, where the link step needs the architecture too.
[[nodiscard]] Fixes add_linked_image(const Situation& situation, const std::string& installed_toolkit);

// A driver that supports this CUDA version and still drives the GPU; empty where none is known.
[[nodiscard]] Fixes update_driver(const Situation& situation, CudaVersion at_least);

// A driver that compiles this PTX; else a rebuild with an older toolkit or with SASS.
[[nodiscard]] Fixes for_new_ptx(const Situation& situation, PtxIsa isa, const std::string& installed_toolkit);

[[nodiscard]] Fix unset(const std::string& variable);

// For what was cut short or changed on its way.
[[nodiscard]] Fix fetch_again();

void append(Fixes& to, Fixes more);

// As the user reads them: the cheapest first.
[[nodiscard]] std::vector<std::string> in_order_of_cost(const Fixes& fixes);

} // namespace cag::compat
