// Notes of ELF files: named records in sections that the loader maps.
#pragma once

#include "object/object.hpp"

#include <optional>
#include <string_view>

namespace cag {

struct NoteContent {
    std::uint64_t offset = 0; // in the file
    std::uint64_t size = 0;
};

// The content of the first note of this name and type in a section; nullopt where there is none.
[[nodiscard]] std::optional<NoteContent> find_note(const ByteView& file, const Section& section, std::string_view name, std::uint32_t type);

} // namespace cag
