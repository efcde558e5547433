// Mach-O of 64 bits, for the files of CUDA up to 10.2, the last toolkit for macOS. Sections are named "segment,section", as `otool -l FILE`
// shows them.
#include "object/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cag {

namespace {

struct Header {
    std::uint32_t magic;
    std::uint32_t cpu;
    std::uint32_t cpu_subtype;
    std::uint32_t file_type;
    std::uint32_t command_count;
    std::uint32_t commands_size;
    std::uint32_t flags;
    std::uint32_t reserved;
};
static_assert(sizeof(Header) == 32);

struct SegmentCommand {
    std::uint32_t command;
    std::uint32_t size;
    std::array<char, 16> name;
    std::uint64_t address;
    std::uint64_t memory_size;
    std::uint64_t file_offset;
    std::uint64_t file_size;
    std::uint32_t max_protection;
    std::uint32_t protection;
    std::uint32_t section_count;
    std::uint32_t flags;
};
static_assert(sizeof(SegmentCommand) == 72);

struct RawSection {
    std::array<char, 16> name;
    std::array<char, 16> segment;
    std::uint64_t address;
    std::uint64_t size;
    std::uint32_t offset;
    std::uint32_t alignment;
    std::uint32_t relocations;
    std::uint32_t relocation_count;
    std::uint32_t flags;
    std::array<std::uint32_t, 3> reserved;
};
static_assert(sizeof(RawSection) == 80);

constexpr std::uint32_t magic_64 = 0xfeedfacf;
constexpr std::uint32_t command_segment_64 = 0x19;
constexpr std::uint32_t type_object = 1;
constexpr std::uint32_t type_execute = 2;
constexpr std::uint32_t section_type_mask = 0xff;
constexpr std::uint32_t section_zero_fill = 1;
constexpr std::uint32_t protection_write = 2;

std::string text(const std::array<char, 16>& field) { return {field.data(), std::find(field.begin(), field.end(), '\0')}; }

void read_segment(const ByteView& view, std::uint64_t at, ObjectFile& object) {
    const auto segment = view.read<SegmentCommand>(at, "Mach-O segment");
    if (!segment) {
        object.problems.push_back(segment.error());
        return;
    }
    for (std::uint64_t i = 0; i < segment->section_count; ++i) {
        const auto raw = view.read<RawSection>(at + sizeof(SegmentCommand) + i * sizeof(RawSection), "Mach-O section");
        if (!raw) {
            object.problems.push_back(raw.error());
            return;
        }
        Section section;
        section.name = text(raw->segment) + "," + text(raw->name);
        section.offset = raw->offset;
        section.size = (raw->flags & section_type_mask) == section_zero_fill ? 0 : raw->size;
        section.address = raw->address;
        section.loaded = true;
        section.writable = (segment->protection & protection_write) != 0;
        clip_to_file(section, view, object.problems);
        object.sections.push_back(std::move(section));
    }
}

} // namespace

bool is_macho(const ByteView& view) { return view.read<std::uint32_t>(0, "Mach-O magic").value_or(0) == magic_64; }

Result<ObjectFile> read_macho(const ByteView& view, const Limits& limits) {
    const auto header = view.read<Header>(0, "Mach-O header");
    if (!header) {
        return tl::unexpected(header.error());
    }
    ObjectFile object;
    object.format = "macho";
    object.machine = header->cpu == 0x01000007 ? "x86_64" : header->cpu == 0x0100000c ? "aarch64" : "unknown";
    object.kind = header->file_type == type_object    ? ObjectFile::Kind::relocatable
                  : header->file_type == type_execute ? ObjectFile::Kind::executable
                                                      : ObjectFile::Kind::shared;
    std::uint64_t at = sizeof(Header);
    const std::uint32_t commands = std::min(header->command_count, limits.max_entries);
    for (std::uint32_t i = 0; i < commands; ++i) {
        const auto command = view.read<std::array<std::uint32_t, 2>>(at, "Mach-O load command");
        if (!command || (*command)[1] < 8) {
            object.problems.push_back(
                command
                    ? Problem{"CAG402", fmt::format("Mach-O load command {}: expected a size of at least 8, found {}", i, (*command)[1]),
                              view.position(at)}
                    : command.error());
            break;
        }
        if ((*command)[0] == command_segment_64) {
            read_segment(view, at, object);
        }
        at += (*command)[1];
    }
    return object;
}

} // namespace cag
