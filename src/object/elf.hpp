// What only the readers of ELF's own tables need beside the sections.
#pragma once

#include "object/object.hpp"

namespace cag {

struct ElfSectionHeader {
    std::uint32_t type = 0;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::uint64_t entry_size = 0;
};

struct ElfFile {
    ObjectFile object;
    std::vector<ElfSectionHeader> headers; // beside object.sections; empty where those were reconstructed
};

[[nodiscard]] Result<ElfFile> read_elf_file(const ByteView& view, const Limits& limits);

} // namespace cag
