// Which architectures modules have, and which a file's modules lack though their siblings have them.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <cstddef>
#include <map>
#include <vector>

namespace cag {

// What a row has for one architecture.
struct Cell {
    bool sass = false;
    bool ptx = false;
    bool ltoir = false;

    auto operator<=>(const Cell&) const = default;
};

using Cells = std::map<Arch, Cell>;

void add(Cells& cells, const Image& image);
[[nodiscard]] Cells cells_of(const Module& module);

// What every host link by nvcc leaves. In a file with relocatable inputs it is the program's linked image, and decides which GPUs it runs
// on.
[[nodiscard]] bool is_leftover(const FileCoverage& file, const Module& module);

// Architectures whose SASS most modules of a kind hold and some lack: probably forgotten. Where it is the other way round, the modules that
// have more are the special ones, and nothing is missing.
struct Gap {
    Arch arch;
    std::vector<std::size_t> modules; // those without, in ascending order
    std::size_t of = 0;               // modules compared
};

[[nodiscard]] std::vector<Gap> gaps_of(const FileCoverage& file);
[[nodiscard]] bool is_in_gap(const std::vector<Gap>& gaps, std::size_t module, Arch arch);

} // namespace cag
