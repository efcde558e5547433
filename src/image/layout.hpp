// The fixed part of fatbin containers as they lie in the file. Names are ours: the format has no public description.
#pragma once

#include <cstdint>

namespace cag::fatbin {

constexpr std::uint32_t container_magic = 0xBA55ED50;

// A container: this header, then entries without gaps up to `size`.
struct ContainerHeader {
    std::uint32_t magic;
    std::uint16_t version;     // 1
    std::uint16_t header_size; // 16
    std::uint64_t size;        // of everything behind this header; 0 is valid
};
static_assert(sizeof(ContainerHeader) == 16);

// An entry: this header, its strings, then the payload; the next entry lies at header_size + padded_size.
// A record of a concat group has the same layout; there `header_size` is the member's offset in the expanded bytes and `padded_size` its
// size.
struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t marker;          // 0x0101
    std::uint32_t header_size;     // strings included; a multiple of 8
    std::uint64_t padded_size;     // stored payload, a multiple of 8
    std::uint32_t compressed_size; // exact; 0 where not compressed
    std::uint32_t options_offset;  // of {u32 text offset, u32 text size}; 0: none
    std::uint16_t version_minor;   // PTX: of the ISA
    std::uint16_t version_major;
    std::uint32_t sm;          // 75, 120; the a/f letter is in the flags
    std::uint32_t name_offset; // the source's name, where recorded
    std::uint32_t name_size;
    std::uint64_t flags;
    std::uint64_t key;           // of an obfuscated payload
    std::uint64_t expanded_size; // 0 where not compressed
};
static_assert(sizeof(EntryHeader) == 64);

constexpr std::uint16_t entry_marker = 0x0101;

namespace kind {
constexpr std::uint16_t ptx = 1;
constexpr std::uint16_t cubin = 2;
constexpr std::uint16_t ltoir = 8;
constexpr std::uint16_t concat_group = 0x100;
} // namespace kind

namespace flag {
constexpr std::uint64_t debug = 0x2;
constexpr std::uint64_t older_compression = 0x1000;
constexpr std::uint64_t lz4 = 0x2000;
constexpr std::uint64_t zstd = 0x8000;
constexpr std::uint64_t arch_specific = 0x100000;
constexpr std::uint64_t family_specific = 0x200000;
constexpr std::uint64_t compat_in_options = 0x1000000; // the options record is a copy of `.nv.compat`, not text
} // namespace flag

} // namespace cag::fatbin
