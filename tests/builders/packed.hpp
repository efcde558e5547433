// Archives with files in them: zip, tar and cpio, and compressed data.
#pragma once

#include "support/bytes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cag::test {

using Members = std::vector<std::pair<std::string, Bytes>>;

enum class ZipKind { deflated, stored, zip64 }; // zip64: stored, with sizes and offset in the extra field

[[nodiscard]] Bytes build_zip(const Members& members, ZipKind kind = ZipKind::deflated);
// As GNU tar writes it; names longer than 99 characters have a member of their own.
[[nodiscard]] Bytes build_tar(const Members& members);
// The format of rpm and initramfs ("newc").
[[nodiscard]] Bytes build_cpio(const Members& members);

[[nodiscard]] Bytes gzipped(const Bytes& bytes);
[[nodiscard]] Bytes zstandard(const Bytes& bytes);

} // namespace cag::test
