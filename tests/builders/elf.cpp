#include "builders/elf.hpp"

#include "builders/header_writer.hpp"

#include <fmt/format.h>

namespace cag::test {

namespace {

template <class Address>
void put_segment(HeaderWriter& writer, std::uint64_t size) {
    constexpr bool wide = sizeof(Address) == 8;
    writer.field("p_type", std::uint32_t{PT_LOAD});
    if (wide) {
        writer.field("p_flags", std::uint32_t{PF_R});
    }
    writer.field("p_offset", Address{0});
    writer.field("p_vaddr", static_cast<Address>(load_address));
    writer.field("p_paddr", Address{0});
    writer.field("p_filesz", static_cast<Address>(size));
    writer.field("p_memsz", static_cast<Address>(size));
    if (!wide) {
        writer.field("p_flags", std::uint32_t{PF_R});
    }
    writer.field("p_align", Address{8});
}

// Header, one segment, the sections' bytes, section headers. `Address` is the width of the class.
template <class Address>
HostFile build(std::uint16_t type, std::vector<ElfSection> sections, std::uint16_t machine) {
    const bool linked = type != ET_REL;
    constexpr bool wide = sizeof(Address) == 8;
    constexpr std::size_t header_size = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    constexpr std::size_t segment_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    Writer names;
    names.put(char{});
    std::vector<std::uint32_t> name_offsets;
    sections.push_back({".shstrtab", {}, SHT_STRTAB, 0});
    for (const ElfSection& section : sections) {
        name_offsets.push_back(static_cast<std::uint32_t>(names.text(section.name)));
        names.put(char{});
    }
    sections.back().bytes = names.bytes();
    const auto places = HeaderWriter::places(header_size + (linked ? segment_size : 0), sections);
    const std::uint64_t table = (places.back() + sections.back().bytes.size() + 7) / 8 * 8;

    HeaderWriter writer;
    writer.where("ELF header");
    writer.field("magic", std::uint32_t{0x464c457f});
    writer.field("class (magic)", static_cast<std::uint8_t>(wide ? ELFCLASS64 : ELFCLASS32));
    writer.field("data encoding (magic)", std::uint8_t{ELFDATA2LSB});
    writer.field("ident version", std::uint8_t{EV_CURRENT});
    writer.name("", EI_NIDENT - 7);
    writer.field("e_type", type);
    writer.field("e_machine", machine);
    writer.field("e_version", std::uint32_t{EV_CURRENT});
    writer.field("e_entry", Address{0});
    writer.field("e_phoff", static_cast<Address>(linked ? header_size : 0));
    writer.field("e_shoff", static_cast<Address>(table));
    writer.field("e_flags", std::uint32_t{0});
    writer.field("e_ehsize", static_cast<std::uint16_t>(header_size));
    writer.field("e_phentsize", static_cast<std::uint16_t>(linked ? segment_size : 0));
    writer.field("e_phnum", static_cast<std::uint16_t>(linked ? 1 : 0));
    writer.field("e_shentsize", static_cast<std::uint16_t>(wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)));
    writer.field("e_shnum", static_cast<std::uint16_t>(sections.size() + 1));
    writer.field("e_shstrndx", static_cast<std::uint16_t>(sections.size()));
    writer.boundary();

    if (linked) {
        writer.where("segment 0");
        put_segment<Address>(writer, places.back());
    }
    writer.append_sections(sections);
    writer.out().align(8);
    for (std::size_t i = 0; i <= sections.size(); ++i) {
        const ElfSection section = i == 0 ? ElfSection{"", {}, SHT_NULL, 0} : sections[i - 1];
        const std::uint64_t place = i == 0 ? 0 : places[i - 1];
        const bool loaded = linked && (section.flags & SHF_ALLOC) != 0;
        writer.boundary();
        writer.where(fmt::format("section header {}", i));
        writer.field("sh_name", i == 0 ? 0 : name_offsets[i - 1]);
        writer.field("sh_type", section.type);
        writer.field("sh_flags", static_cast<Address>(section.flags));
        writer.field("sh_addr", static_cast<Address>(loaded ? load_address + place : 0));
        writer.field("sh_offset", static_cast<Address>(place));
        writer.field("sh_size", static_cast<Address>(section.bytes.size()));
        writer.field("sh_link", section.link);
        writer.field("sh_info", section.info);
        writer.field("sh_addralign", Address{8});
        writer.field("sh_entsize", static_cast<Address>(section.entry_size));
    }
    HostFile file = writer.finish();
    file.offsets.pop_back(); // the names' own
    return file;
}

} // namespace

HostFile build_elf(std::uint16_t type, const std::vector<ElfSection>& sections, std::uint16_t machine) {
    const bool narrow = machine == EM_386 || machine == EM_ARM;
    return narrow ? build<std::uint32_t>(type, sections, machine) : build<std::uint64_t>(type, sections, machine);
}

} // namespace cag::test
