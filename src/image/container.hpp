// Containers for the readers of whole sections.
#pragma once

#include "image/image.hpp"
#include "image/window.hpp"

namespace cag {

// Reads the headers of the container at the start of the window's view. A failure where there is none.
[[nodiscard]] Result<Container> read_headers(fatbin::Window& window, const Limits& limits);

// Step 2 for all payloads of a container, one after the other.
void read_payloads(Container& container, const ByteView& file, const Limits& limits);

} // namespace cag
