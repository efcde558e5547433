// Zip archives (wheels, conda packages): members with their bytes, headers, and at the end a central directory that lists them all.
// Look at one with `zipinfo -v FILE`; the format is PKWARE's APPNOTE.TXT.
//
// The central directory is what installers go by, so it is what is read here; a local header that contradicts it is a finding.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <string>
#include <vector>

namespace cag {

struct ZipMember {
    std::string name;
    std::uint16_t method = 0;
    bool encrypted = false;
    std::uint32_t crc = 0;
    std::uint64_t stored_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0; // offset of the local header
    bool overlaps = false;    // shares bytes with another member, as in bombs
};

struct ZipDirectory {
    std::vector<ZipMember> members; // in the directory's order
    std::vector<Problem> problems;
};

[[nodiscard]] ZipDirectory read_zip_directory(const ByteView& view, const Limits& limits);

// The stored bytes of a member, behind its local header.
[[nodiscard]] Result<ByteView> stored_bytes(const ByteView& view, const ZipMember& member);

} // namespace cag
