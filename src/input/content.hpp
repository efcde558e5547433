// What a file or member is for us, told from its first bytes: names and suffixes are not to be trusted.
#pragma once

#include "support/bytes.hpp"

#include <functional>
#include <string_view>

namespace cag {

enum class Content : std::uint8_t {
    nothing, // cannot hold device code: it is not read further
    code,    // a format that the reader knows
    zip,     // wheels, conda packages, jars
    known,   // read before
    text,    // small, and asked for by its name: it says what a package claims
    stream,  // tar, cpio, rpm, deb, and data compressed by gzip, bzip2, xz or zstd
};

// How many leading bytes decide. PTX may begin with a long comment.
inline constexpr std::size_t content_head = 4096;

// True where a file that begins like this may hold device code; `whole` says that the bytes are the whole file.
using MayHoldCode = std::function<bool(std::span<const std::byte> head, bool whole)>;

[[nodiscard]] Content content_of(std::span<const std::byte> head, bool whole, const MayHoldCode& may_hold_code);

// The name of an archive format that this program does not read, and that may carry device code: "7z"; "" for anything else.
[[nodiscard]] std::string_view unread_archive(std::span<const std::byte> head);

} // namespace cag
