// A part of a list of inputs, for work that is spread over machines.
#pragma once

#include <cstddef>

namespace cag {

// Part `index` (from 0) of `count`. Every file on disk belongs to exactly one part, by its place in the sorted list: neighbours, which are
// often of a size, go to different parts.
struct Shard {
    std::size_t index = 0;
    std::size_t count = 1;

    [[nodiscard]] bool has(std::size_t place) const { return place % count == index; }
};

} // namespace cag
