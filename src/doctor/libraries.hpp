// Which files a program loads, as the dynamic loader would find them.
#pragma once

#include "support/limits.hpp"
#include "survey/host.hpp"

#include <string>
#include <vector>

namespace cag {

struct LoadedFiles {
    std::vector<std::string> files;   // the program first; absolute inside the host
    std::vector<std::string> missing; // names that nothing here answers to, each once; the driver's own libraries are not among them
};

// The program and the libraries that it asks for, with those that they ask for. `folders`: further places, after the loader's own.
[[nodiscard]] LoadedFiles loaded_files(const Host& host, const std::string& program, const std::vector<std::string>& folders,
                                       const Limits& limits);

} // namespace cag
