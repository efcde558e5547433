// PE (Windows programs and DLLs) and COFF (Windows objects), both of 64 bits. Look at one with `objdump -h FILE` (binutils with pe-x86-64)
// or `dumpbin`. Names over eight characters: an object writes "/123", an offset into its string table; a linked file cuts them to eight.
#include "object/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cag {

namespace {

struct FileHeader {
    std::uint16_t machine;
    std::uint16_t section_count;
    std::uint32_t timestamp;
    std::uint32_t symbol_table;
    std::uint32_t symbol_count;
    std::uint16_t optional_header_size;
    std::uint16_t characteristics;
};
static_assert(sizeof(FileHeader) == 20);

struct SectionHeader {
    std::array<char, 8> name;
    std::uint32_t virtual_size;
    std::uint32_t virtual_address;
    std::uint32_t raw_size;
    std::uint32_t raw_offset;
    std::uint32_t relocations;
    std::uint32_t line_numbers;
    std::uint16_t relocation_count;
    std::uint16_t line_number_count;
    std::uint32_t characteristics;
};
static_assert(sizeof(SectionHeader) == 40);

constexpr std::uint64_t symbol_size = 18;
constexpr std::uint16_t characteristic_dll = 0x2000;
constexpr std::uint32_t section_uninitialized = 0x80;
constexpr std::uint32_t section_discardable = 0x02000000;
constexpr std::uint32_t section_writable = 0x80000000;

const char* machine_name(unsigned machine) {
    switch (machine) {
    case 0x8664:
        return "x86_64";
    case 0xaa64:
        return "aarch64";
    case 0x14c:
        return "i386";
    default:
        return nullptr;
    }
}

std::string section_name(const SectionHeader& raw, const Bytes& strings) {
    std::string name(raw.name.data(), std::find(raw.name.begin(), raw.name.end(), '\0'));
    std::uint32_t offset = 0;
    if (!name.starts_with('/') || std::from_chars(name.data() + 1, name.data() + name.size(), offset).ec != std::errc{}) {
        return name;
    }
    return std::string(text_at(strings, offset).value_or(name));
}

// `header_offset`: of the COFF header; `image_base`: 0 in objects.
Result<ObjectFile> read_sections(const ByteView& view, std::uint64_t header_offset, std::uint64_t image_base, ObjectFile object,
                                 const Limits& limits) {
    const auto header = view.read<FileHeader>(header_offset, "COFF header");
    if (!header) {
        return tl::unexpected(header.error());
    }
    object.machine = machine_name(header->machine) != nullptr ? machine_name(header->machine) : "unknown";
    if (object.format == "pe") {
        object.kind = (header->characteristics & characteristic_dll) != 0 ? ObjectFile::Kind::shared : ObjectFile::Kind::executable;
    }
    Bytes strings;
    if (header->symbol_table != 0) {
        const std::uint64_t at = header->symbol_table + symbol_size * header->symbol_count;
        const auto size = view.read<std::uint32_t>(at, "COFF string table");
        const auto table = size ? view.sub(at, *size, "COFF string table") : Result<ByteView>(tl::unexpected(size.error()));
        if (auto bytes = table.and_then([&](const ByteView& v) { return v.bytes(limits.max_table, "COFF string table"); })) {
            strings = *std::move(bytes);
        } else if (object.format == "coff") {
            object.problems.push_back(bytes.error());
        }
    }
    std::uint64_t at = header_offset + sizeof(FileHeader) + header->optional_header_size;
    for (unsigned i = 0; i < header->section_count; ++i, at += sizeof(SectionHeader)) {
        const auto raw = view.read<SectionHeader>(at, "PE/COFF section header");
        if (!raw) {
            object.problems.push_back(raw.error());
            break;
        }
        Section section;
        section.name = section_name(*raw, strings);
        section.address = image_base + raw->virtual_address;
        section.offset = raw->raw_offset;
        section.size = (raw->characteristics & section_uninitialized) != 0 ? 0 : raw->raw_size;
        // A linked file pads sections to whole blocks; the padding is not the section's.
        if (object.format == "pe" && raw->virtual_size != 0) {
            section.size = std::min<std::uint64_t>(section.size, raw->virtual_size);
        }
        section.loaded = (raw->characteristics & section_discardable) == 0;
        section.writable = (raw->characteristics & section_writable) != 0;
        section.symbols_or_debug = section.name.starts_with(".debug");
        clip_to_file(section, view, object.problems);
        object.sections.push_back(std::move(section));
    }
    return object;
}

std::optional<std::uint64_t> pe_header_offset(const ByteView& view) {
    const auto magic = view.read<std::array<char, 2>>(0, "DOS magic");
    const auto offset = view.read<std::uint32_t>(0x3c, "PE header offset");
    if (!magic || *magic != std::array{'M', 'Z'} || !offset) {
        return std::nullopt;
    }
    const auto signature = view.read<std::array<char, 4>>(*offset, "PE signature");
    if (!signature || *signature != std::array{'P', 'E', '\0', '\0'}) {
        return std::nullopt;
    }
    return *offset + 4;
}

} // namespace

bool is_pe(const ByteView& view) { return pe_header_offset(view).has_value(); }

// No magic: a machine that CUDA has, no optional header, and a first section that has a name and, as in all objects, no address.
bool is_coff(const ByteView& view) {
    const auto header = view.read<FileHeader>(0, "COFF header");
    const auto first = view.read<SectionHeader>(sizeof(FileHeader), "COFF section header");
    const auto in_name = [](char c) { return c == '\0' || (c > ' ' && c < 0x7f); };
    return header && first && machine_name(header->machine) != nullptr && header->optional_header_size == 0 && header->section_count > 0 &&
           first->name[0] != '\0' && std::ranges::all_of(first->name, in_name) && first->virtual_address == 0;
}

Result<ObjectFile> read_pe(const ByteView& view, const Limits& limits) {
    const auto header = pe_header_offset(view);
    if (!header) {
        return failure("CAG402", "expected a PE header behind the DOS header, found none", view.position());
    }
    const std::uint64_t optional = *header + sizeof(FileHeader);
    const auto magic = view.read<std::uint16_t>(optional, "PE optional header");
    if (!magic) {
        return tl::unexpected(magic.error());
    }
    // 0x20b: PE32+ (64-bit) has an 8-byte image base at 24; PE32 a 4-byte one at 28.
    const auto base = *magic == 0x20b
                          ? view.read<std::uint64_t>(optional + 24, "PE image base")
                          : view.read<std::uint32_t>(optional + 28, "PE image base").map([](std::uint32_t v) { return std::uint64_t{v}; });
    if (!base) {
        return tl::unexpected(base.error());
    }
    ObjectFile object;
    object.format = "pe";
    return read_sections(view, *header, *base, std::move(object), limits);
}

Result<ObjectFile> read_coff(const ByteView& view, const Limits& limits) {
    ObjectFile object;
    object.format = "coff";
    object.kind = ObjectFile::Kind::relocatable;
    return read_sections(view, 0, 0, std::move(object), limits);
}

} // namespace cag
