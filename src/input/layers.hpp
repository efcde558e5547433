// Container images: what `docker save` writes, and the OCI image layout as a tar archive or a folder. An image is a pile of layers, each a
// tar archive; a container sees the topmost version of each file, and none that a layer above removes (whiteouts, `.wh.NAME`).
// The formats: https://github.com/opencontainers/image-spec (image-layout.md, layer.md).
#pragma once

#include "input/tar.hpp"

namespace cag {

// Empty where the members are not those of an image.
[[nodiscard]] std::unique_ptr<Collection> open_image_archive(const std::shared_ptr<const ByteSource>& source, const TarIndex& index,
                                                             const CollectionOptions& options);

} // namespace cag
