// Bare LTO-IR, as nvcc -ltoir writes it: a header, fields of {u16 tag, u16 value}, then the intermediate code, which may be obfuscated and
// is never read. Look at one with `xxd -l 64 FILE`.
#include "image/image.hpp"

#include <fmt/format.h>

namespace cag {

namespace {

struct LtoirHeader {
    std::uint32_t magic;
    std::uint8_t versions[8]; // of the container, the IR, the debug information and LLVM
    std::uint16_t fields_offset;
    std::uint16_t unknown;
    std::uint32_t fields_end;
    std::uint32_t code_offset;
};
static_assert(sizeof(LtoirHeader) == 24);

struct Field {
    std::uint16_t tag;
    std::uint16_t value;
};

constexpr std::uint32_t ltoir_magic = 0x7f4e43ed;
constexpr std::uint16_t arch_tag = 1; // 900 for sm_90

} // namespace

bool is_ltoir(const ByteView& view) { return view.read<std::uint32_t>(0, "LTO-IR magic").value_or(0) == ltoir_magic; }

Result<Image> read_ltoir(const ByteView& view) {
    const auto header = view.read<LtoirHeader>(0, "LTO-IR header");
    if (!header) {
        return tl::unexpected(header.error());
    }
    const auto field = view.read<Field>(header->fields_offset, "LTO-IR architecture");
    if (!field) {
        return tl::unexpected(field.error());
    }
    if (field->tag != arch_tag || field->value % 10 != 0 || field->value < 100) {
        return failure(
            "CAG402",
            fmt::format("LTO-IR field {} is {}, expected the architecture as field {}, such as 900", field->tag, field->value, arch_tag),
            view.position(header->fields_offset));
    }
    Image image;
    image.kind = ImageKind::ltoir;
    image.arch = arch_from_number(field->value / 10U);
    image.relocatable = true;
    image.offset = view.position();
    image.size = view.size();
    image.expanded_size = image.size;
    return image;
}

} // namespace cag
