#include "input/content.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cag {

namespace {

using namespace std::string_view_literals;

struct Magic {
    std::size_t offset;
    std::string_view bytes;
    Content content;
};

constexpr std::array magics{
    Magic{0, "PK\x03\x04"sv, Content::zip},
    Magic{0, "PK\x05\x06"sv, Content::zip},                // an empty archive
    Magic{0, "!<arch>\ndebian-binary"sv, Content::stream}, // .deb; other ar archives are libraries
    Magic{0, "\xed\xab\xee\xdb"sv, Content::stream},       // .rpm
    Magic{0, "\x1f\x8b\x08"sv, Content::stream},           // gzip
    Magic{0, "BZh"sv, Content::stream},                    // bzip2
    Magic{0,
          "\xfd" //
          "7zXZ\0"sv,
          Content::stream},                          // xz
    Magic{0, "\x28\xb5\x2f\xfd"sv, Content::stream}, // zstd
    Magic{0, "070701"sv, Content::stream},           // cpio
    Magic{0, "070702"sv, Content::stream},           // cpio with checksums
    Magic{257, "ustar"sv, Content::stream},          // tar
};

struct Unread {
    std::string_view bytes;
    std::string_view name;
};

constexpr std::array unread{
    Unread{"7z\xbc\xaf\x27\x1c"sv, "7z"}, Unread{"Rar!\x1a\x07"sv, "RAR"},     Unread{"MSCF\0\0\0\0"sv, "cabinet"},
    Unread{"hsqs"sv, "SquashFS"},         Unread{"\x04\x22\x4d\x18"sv, "LZ4"}, Unread{"LZIP\x01"sv, "lzip"},
};

std::string_view text_of(std::span<const std::byte> head) { return {reinterpret_cast<const char*>(head.data()), head.size()}; }

} // namespace

std::string_view unread_archive(std::span<const std::byte> head) {
    const auto found = std::ranges::find_if(unread, [&](const Unread& format) { return text_of(head).starts_with(format.bytes); });
    return found == unread.end() ? "" : found->name;
}

Content content_of(std::span<const std::byte> head, bool whole, const MayHoldCode& may_hold_code) {
    const std::string_view text = text_of(head);
    const auto magic =
        std::ranges::find_if(magics, [&](const Magic& m) { return text.size() >= m.offset && text.substr(m.offset).starts_with(m.bytes); });
    if (magic != magics.end()) {
        return magic->content;
    }
    return may_hold_code(head, whole) ? Content::code : Content::nothing;
}

} // namespace cag
