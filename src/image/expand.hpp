// LZ4 and zstd under limits.
#pragma once

#include "image/image.hpp"

#include <cstdlib>
#include <memory>

namespace cag {

// Bytes that are written once: not zeroed first, as those of a vector would be.
struct Expanded {
    struct Free {
        void operator()(std::byte* start) const { std::free(start); }
    };
    std::unique_ptr<std::byte[], Free> bytes;
    std::size_t size = 0;

    [[nodiscard]] std::span<const std::byte> span() const { return {bytes.get(), size}; }
};

// Expands a compressed payload. Nothing is allocated before its declared size was held against the limits, and anything but exactly that
// size is a failure.
[[nodiscard]] Result<Expanded> expand(const Payload& payload, const ByteView& stored, const Limits& limits);

} // namespace cag
