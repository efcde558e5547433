#include "object/note.hpp"

namespace cag {
namespace {

struct NoteHeader {
    std::uint32_t name_size; // its NUL included
    std::uint32_t content_size;
    std::uint32_t type;
};

std::uint64_t up_to_4(std::uint64_t size) { return (size + 3) / 4 * 4; }

} // namespace

std::optional<NoteContent> find_note(const ByteView& file, const Section& section, std::string_view name, std::uint32_t type) {
    constexpr std::uint64_t longest_name = 256;
    std::uint64_t at = 0;
    while (at + sizeof(NoteHeader) <= section.size) {
        const auto header = file.read<NoteHeader>(section.offset + at, "note");
        if (!header) {
            return std::nullopt;
        }
        const std::uint64_t name_at = at + sizeof(NoteHeader);
        const std::uint64_t content_at = name_at + up_to_4(header->name_size);
        if (content_at + header->content_size > section.size) {
            return std::nullopt;
        }
        if (header->type == type && header->name_size == name.size() + 1 && header->name_size <= longest_name) {
            Bytes found(header->name_size);
            if (file.read_into(section.offset + name_at, found, "name of a note") && text_at(found, 0) == name) {
                return NoteContent{section.offset + content_at, header->content_size};
            }
        }
        at = content_at + up_to_4(header->content_size);
    }
    return std::nullopt;
}

} // namespace cag
