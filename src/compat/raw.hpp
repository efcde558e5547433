// Rule 15: bare cubins and PTX that a program loads through the driver API.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

namespace cag::compat {

// True for a module that is one bare cubin or PTX, not a container: then nothing is chosen, and other errors come.
[[nodiscard]] bool is_bare_image(const FileCoverage& file, const Module& module);

// A file of its own that is damaged where the driver looks first: nothing in it is chosen from.
[[nodiscard]] bool is_refused_as_a_whole(const FileCoverage& file, const Module& module);
[[nodiscard]] Decision refuse_as_a_whole(const FileCoverage& file, const Module& module, const Situation& situation);

[[nodiscard]] Decision load_bare_image(const Module& module, const Situation& situation);

} // namespace cag::compat
