// Readers of expanded payloads. Each completes an Image whose header part is filled in.
#pragma once

#include "image/image.hpp"

namespace cag {

[[nodiscard]] Result<void> read_cubin_into(Image& image, const ByteView& view, const Limits& limits);
[[nodiscard]] Result<void> read_ptx_into(Image& image, const ByteView& view, const Limits& limits);

} // namespace cag
