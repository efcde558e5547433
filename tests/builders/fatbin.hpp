// Fatbin containers as nvcc's fatbinary lays them out.
#pragma once

#include "builders/damage.hpp"

#include <string>
#include <vector>

namespace cag::test {

enum class Codec { none, lz4, zstd };

struct Entry {
    std::uint16_t kind = 2; // 1 PTX, 2 cubin, 8 LTO-IR, 0x100 concat group
    unsigned sm = 80;
    std::uint64_t flags = 0x11; // 64-bit, Linux
    std::uint16_t version_major = 1;
    std::uint16_t version_minor = 8;
    Codec codec = Codec::none;
    std::string source;
    std::string options;
    Bytes payload;              // not compressed
    std::vector<Entry> members; // of a concat group
};

[[nodiscard]] Entry cubin_entry(unsigned sm, Bytes cubin, Codec codec = Codec::none);
[[nodiscard]] Entry ptx_entry(unsigned sm, const std::string& text, Codec codec = Codec::none, std::uint16_t isa_major = 9,
                              std::uint16_t isa_minor = 0);
// One payload with all members' behind each other; members keep kind, sm, flags and strings.
[[nodiscard]] Entry concat_group(std::vector<Entry> members, Codec codec = Codec::zstd);

[[nodiscard]] Bytes build_container(const std::vector<Entry>& entries);

// The numbers in the headers of containers that lie one behind the other, and the places where one thing ends and the next starts.
[[nodiscard]] std::vector<Field> fields_of_containers(const Bytes& containers);
[[nodiscard]] std::vector<std::size_t> boundaries_of_containers(const Bytes& containers);

} // namespace cag::test
