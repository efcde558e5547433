// CMake presets for the machines and groups of a lab.
#pragma once

#include "lab/solve.hpp"

namespace cag {

// A document of schema version 6, to be included from a user's CMakePresets.json: for each machine and group a configure, build, test and
// workflow preset `lab-NAME`, which inherit `lab-common`; none for machines that are gone on that day.
// `lab_path` is absolute, or from the folder of the document.
[[nodiscard]] std::string lab_presets(const Lab& lab, const std::string& lab_path, const std::string& date);

// Such a document, which may be written anew; a user's own presets are not.
[[nodiscard]] bool is_lab_presets(const std::string& text);

} // namespace cag
