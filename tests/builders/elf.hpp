// Small ELF files, section by section.
#pragma once

#include "builders/host_file.hpp"

#include <elf.h>

namespace cag::test {

struct ElfSection {
    std::string name;
    Bytes bytes;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = SHF_ALLOC;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::uint64_t entry_size = 0;
};

// Section i of the list gets index i + 1; `.shstrtab` is added. In linked files (not ET_REL) one segment loads the whole file at
// load_address. A file for EM_386 or EM_ARM is of the 32-bit class.
[[nodiscard]] HostFile build_elf(std::uint16_t type, const std::vector<ElfSection>& sections, std::uint16_t machine = EM_X86_64);

} // namespace cag::test
