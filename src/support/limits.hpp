// How much a hostile file may make us do. Each is an option of the program.
#pragma once

#include <cstdint>

namespace cag {

struct Limits {
    std::uint64_t max_expanded_image = std::uint64_t{1} << 30; // bytes of one decompressed payload
    std::uint64_t max_expansion_ratio = 2048;                  // expanded / stored bytes of one payload
    std::uint64_t max_table = std::uint64_t{64} << 20;         // bytes of one section, symbol or string table
    std::uint32_t max_images = 1U << 17;                       // containers and images in one file: each takes some 500 bytes of memory
    std::uint32_t max_entries = 1U << 20;                      // members of one archive, kernels and functions of one image
    std::uint32_t max_depth = 4;                               // archives inside archives
    std::uint64_t max_memory = std::uint64_t{1} << 30;         // bytes of expanded members, and of images, in memory at one time
    std::uint64_t max_member = std::uint64_t{16} << 30;        // bytes of one expanded member
    std::uint64_t max_archive_ratio = 250;                     // expanded bytes of an archive, inner ones too / its size, from 4 GiB on
};

} // namespace cag
