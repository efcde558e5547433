// What all fuzz targets share: the bytes as a view, and a check that stops the run.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <cstdio>
#include <cstdlib>

namespace cag::fuzz {

// A target is right where nothing crashes and every one of these holds.
#define CAG_REQUIRE(condition)                                                                                                             \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                            \
            std::abort();                                                                                                                  \
        }                                                                                                                                  \
    } while (false)

// Small enough for many executions a second; the default limits are tested elsewhere.
inline Limits limits() {
    Limits limits;
    limits.max_expanded_image = std::uint64_t{4} << 20;
    limits.max_table = std::uint64_t{1} << 20;
    limits.max_images = 4096;
    limits.max_entries = 4096;
    return limits;
}

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

} // namespace cag::fuzz
