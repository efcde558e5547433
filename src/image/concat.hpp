// Concat groups: what `nvcc -concat` (13.4 and newer) makes of several entries of one kind, to compress them together.
#pragma once

#include "image/entry.hpp"

namespace cag::fatbin {

// Appends the members of the group entry at `offset` to the container's images. They share the group's stored bytes.
void read_concat_members(Window& window, std::uint64_t offset, const EntryHeader& group, const Payload& payload, const Limits& limits,
                         Container& container, const Reporter& report);

} // namespace cag::fatbin
