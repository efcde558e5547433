// Readers of expanded payloads. Each completes an image and returns the architecture that the payload itself names.
#pragma once

#include "image/image.hpp"

namespace cag {

// A failure leaves the image as it was.
[[nodiscard]] Result<Arch> read_cubin_into(Image& image, const ByteView& view, const Limits& limits);
[[nodiscard]] Result<Arch> read_ptx_into(Image& image, const ByteView& view, const Limits& limits);

} // namespace cag
