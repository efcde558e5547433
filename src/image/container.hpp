// Containers for the readers of whole sections.
#pragma once

#include "image/image.hpp"
#include "image/window.hpp"

namespace cag {

// How many headers may be looked at to find the way behind damage. All containers of a section share it, so that input made to be searched
// over and over takes time in proportion to its size.
struct RepairBudget {
    explicit RepairBudget(const ByteView& section) : headers(1000 + section.size() / 16) {}
    std::uint64_t headers;
};

// Reads the headers of the container at the start of the window's view. A failure where there is none.
[[nodiscard]] Result<Container> read_headers(fatbin::Window& window, const Limits& limits, RepairBudget& budget);

// Step 2 for all payloads of a container, one after the other.
void read_payloads(Container& container, const ByteView& file, const Limits& limits);

} // namespace cag
