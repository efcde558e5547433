// Writes small 64-bit ELF files, byte by byte as the format says, for tests that then damage them by name.
#pragma once

#include "support/bytes.hpp"

#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

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

template <class Record>
void append(Bytes& bytes, const Record& record) {
    const auto raw = std::as_bytes(std::span(&record, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline Bytes bytes_of(std::string_view text) {
    const auto raw = std::as_bytes(std::span(text));
    return {raw.begin(), raw.end()};
}

struct BuiltElf {
    Bytes bytes;
    std::vector<std::uint64_t> offsets; // of each given section, in the order given
};

// In linked files (not ET_REL) one segment loads the whole file here, so that the address of a byte is this plus its offset.
constexpr std::uint64_t load_address = 0x100000;

// Section i of the list gets index i + 1.
inline BuiltElf build_elf(std::uint16_t type, const std::vector<ElfSection>& sections, std::uint16_t machine = EM_X86_64) {
    BuiltElf built;
    built.bytes.resize(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
    std::string names(1, '\0');
    std::vector<Elf64_Shdr> headers(1);
    const auto add = [&](const ElfSection& section) {
        built.bytes.resize((built.bytes.size() + 7) / 8 * 8);
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names.size());
        names += section.name + '\0';
        header.sh_type = section.type;
        header.sh_flags = section.flags;
        header.sh_offset = built.bytes.size();
        header.sh_addr = type != ET_REL && (section.flags & SHF_ALLOC) != 0 ? load_address + header.sh_offset : 0;
        header.sh_size = section.bytes.size();
        header.sh_link = section.link;
        header.sh_info = section.info;
        header.sh_entsize = section.entry_size;
        headers.push_back(header);
        built.offsets.push_back(header.sh_offset);
        built.bytes.insert(built.bytes.end(), section.bytes.begin(), section.bytes.end());
    };
    for (const ElfSection& section : sections) {
        add(section);
    }
    ElfSection name_table{".shstrtab", {}, SHT_STRTAB, 0};
    names += ".shstrtab";
    name_table.bytes = bytes_of(names + '\0');
    names.resize(names.size() - std::strlen(".shstrtab"));
    add(name_table);
    built.offsets.pop_back();

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = type;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_shoff = (built.bytes.size() + 7) / 8 * 8;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    built.bytes.resize(header.e_shoff);
    for (const Elf64_Shdr& section : headers) {
        append(built.bytes, section);
    }
    if (type != ET_REL) {
        header.e_phoff = sizeof(Elf64_Ehdr);
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_phnum = 1;
        Elf64_Phdr segment{};
        segment.p_type = PT_LOAD;
        segment.p_vaddr = load_address;
        segment.p_filesz = built.bytes.size();
        segment.p_memsz = built.bytes.size();
        std::memcpy(built.bytes.data() + header.e_phoff, &segment, sizeof(segment));
    }
    std::memcpy(built.bytes.data(), &header, sizeof(header));
    return built;
}

} // namespace cag::test
