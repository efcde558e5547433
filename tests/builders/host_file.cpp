#include "builders/host_file.hpp"

#include "builders/writer.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <array>

namespace cag::test {

namespace {

// A writer that remembers where each number went.
class HeaderWriter {
  public:
    void where(std::string place) { place_ = std::move(place); }

    template <class T>
    std::size_t field(const std::string& name, T value) {
        const std::size_t at = out_.put(value);
        file_.fields.push_back({place_ + ": " + name, at, sizeof(T)});
        return at;
    }
    void name(std::string_view text, std::size_t size) {
        Bytes padded = bytes_of(text);
        padded.resize(size);
        out_.append(padded);
    }
    void boundary() { file_.boundaries.push_back(out_.size()); }

    void append_sections(const std::vector<HostSection>& sections) {
        for (const HostSection& section : sections) {
            out_.align(8);
            boundary();
            file_.offsets.push_back(out_.append(section.bytes));
        }
        boundary();
    }

    [[nodiscard]] Writer& out() { return out_; }
    [[nodiscard]] HostFile finish() {
        file_.bytes = out_.take();
        return std::move(file_);
    }
    // Sections come behind the headers that name their places: the headers are written twice, first to learn their size.
    [[nodiscard]] static std::vector<std::uint64_t> places(std::uint64_t start, const std::vector<HostSection>& sections) {
        std::vector<std::uint64_t> offsets;
        for (const HostSection& section : sections) {
            start = (start + 7) / 8 * 8;
            offsets.push_back(start);
            start += section.bytes.size();
        }
        return offsets;
    }

  private:
    Writer out_;
    HostFile file_;
    std::string place_;
};

// ELF: header, one segment, the sections' bytes, section headers. `Address` is the width of the class.
template <class Address>
HostFile build_elf(const std::vector<HostSection>& given) {
    constexpr bool wide = sizeof(Address) == 8;
    constexpr std::size_t header_size = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    constexpr std::size_t segment_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    std::vector<HostSection> sections = given;
    Writer names;
    names.put(char{});
    std::vector<std::uint32_t> name_offsets;
    sections.push_back({".shstrtab", {}, true});
    for (const HostSection& section : sections) {
        name_offsets.push_back(static_cast<std::uint32_t>(names.text(section.name)));
        names.put(char{});
    }
    sections.back().bytes = names.bytes();
    const auto places = HeaderWriter::places(header_size + segment_size, sections);
    const std::uint64_t table = (places.back() + sections.back().bytes.size() + 7) / 8 * 8;

    HeaderWriter writer;
    writer.where("ELF header");
    writer.field("magic", std::uint32_t{0x464c457f});
    writer.field("class (magic)", static_cast<std::uint8_t>(wide ? ELFCLASS64 : ELFCLASS32));
    writer.field("data encoding (magic)", std::uint8_t{ELFDATA2LSB});
    writer.field("ident version", std::uint8_t{EV_CURRENT});
    writer.name("", EI_NIDENT - 7);
    writer.field("e_type", std::uint16_t{ET_DYN});
    writer.field("e_machine", static_cast<std::uint16_t>(wide ? EM_X86_64 : EM_386));
    writer.field("e_version", std::uint32_t{EV_CURRENT});
    writer.field("e_entry", Address{0});
    writer.field("e_phoff", static_cast<Address>(header_size));
    writer.field("e_shoff", static_cast<Address>(table));
    writer.field("e_flags", std::uint32_t{0});
    writer.field("e_ehsize", static_cast<std::uint16_t>(header_size));
    writer.field("e_phentsize", static_cast<std::uint16_t>(segment_size));
    writer.field("e_phnum", std::uint16_t{1});
    writer.field("e_shentsize", static_cast<std::uint16_t>(wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)));
    writer.field("e_shnum", static_cast<std::uint16_t>(sections.size() + 1));
    writer.field("e_shstrndx", static_cast<std::uint16_t>(sections.size()));
    writer.boundary();

    writer.where("segment 0");
    writer.field("p_type", std::uint32_t{PT_LOAD});
    if (wide) {
        writer.field("p_flags", std::uint32_t{PF_R});
    }
    writer.field("p_offset", Address{0});
    writer.field("p_vaddr", static_cast<Address>(host_load_address));
    writer.field("p_paddr", Address{0});
    writer.field("p_filesz", static_cast<Address>(places.back()));
    writer.field("p_memsz", static_cast<Address>(places.back()));
    if (!wide) {
        writer.field("p_flags", std::uint32_t{PF_R});
    }
    writer.field("p_align", Address{8});

    writer.append_sections(sections);
    writer.out().align(8);
    for (std::size_t i = 0; i <= sections.size(); ++i) {
        const HostSection* section = i == 0 ? nullptr : &sections[i - 1];
        const bool loaded = section != nullptr && !section->tables;
        writer.boundary();
        writer.where(fmt::format("section header {}", i));
        writer.field("sh_name", section != nullptr ? name_offsets[i - 1] : 0);
        writer.field("sh_type", static_cast<std::uint32_t>(section == nullptr ? SHT_NULL : loaded ? SHT_PROGBITS : SHT_STRTAB));
        writer.field("sh_flags", static_cast<Address>(loaded ? SHF_ALLOC : 0));
        writer.field("sh_addr", static_cast<Address>(loaded ? host_load_address + places[i - 1] : 0));
        writer.field("sh_offset", static_cast<Address>(section != nullptr ? places[i - 1] : 0));
        writer.field("sh_size", static_cast<Address>(section != nullptr ? section->bytes.size() : 0));
        writer.field("sh_link", std::uint32_t{0});
        writer.field("sh_info", std::uint32_t{0});
        writer.field("sh_addralign", Address{8});
        writer.field("sh_entsize", Address{0});
    }
    HostFile file = writer.finish();
    file.offsets.pop_back(); // the names' own
    return file;
}

// The COFF header and section table, which a DLL has behind its optional header. Long names go into the string table of an object.
void put_coff(HeaderWriter& writer, const std::vector<HostSection>& sections, const std::vector<std::uint64_t>& places, bool linked,
              std::uint64_t symbol_table, Writer& strings, const auto& put_optional_header) {
    writer.where("COFF header");
    writer.field("machine (magic)", std::uint16_t{0x8664});
    writer.field("section count", static_cast<std::uint16_t>(sections.size()));
    writer.field("timestamp", std::uint32_t{0});
    writer.field("symbol table", static_cast<std::uint32_t>(symbol_table));
    writer.field("symbol count", std::uint32_t{0});
    const std::size_t optional_size = writer.field(linked ? "optional header size" : "optional header size (magic)", std::uint16_t{0});
    writer.field("characteristics", static_cast<std::uint16_t>(linked ? 0x2022 : 0));
    const std::size_t optional = writer.out().size();
    put_optional_header();
    writer.out().patch(optional_size, static_cast<std::uint16_t>(writer.out().size() - optional));
    for (std::size_t i = 0; i < sections.size(); ++i) {
        writer.boundary();
        writer.where(fmt::format("section header {}", i));
        std::string name = sections[i].name;
        if (!linked && name.size() > 8) {
            const std::size_t at = strings.text(name);
            strings.put(char{});
            name = fmt::format("/{}", at);
        }
        writer.name(name, 8);
        const auto size = static_cast<std::uint32_t>(sections[i].bytes.size());
        writer.field("virtual size", linked ? size : 0);
        writer.field(linked ? "virtual address" : "virtual address (magic)", static_cast<std::uint32_t>(linked ? places[i] : 0));
        writer.field("raw size", size);
        writer.field("raw offset", static_cast<std::uint32_t>(places[i]));
        writer.field("relocations", std::uint32_t{0});
        writer.field("line numbers", std::uint32_t{0});
        writer.field("relocation count", std::uint16_t{0});
        writer.field("line number count", std::uint16_t{0});
        writer.field("characteristics", std::uint32_t{0x40000040});
    }
}

HostFile build_pe(const std::vector<HostSection>& sections) {
    constexpr std::size_t pe_at = 0x80;
    constexpr std::size_t optional_size = 112;
    const auto places = HeaderWriter::places(pe_at + 4 + 20 + optional_size + 40 * sections.size(), sections);
    HeaderWriter writer;
    writer.where("DOS header");
    writer.field("magic", std::uint16_t{0x5a4d});
    writer.name("", 0x3c - 2);
    writer.field("PE header offset (magic)", std::uint32_t{pe_at});
    writer.name("", pe_at - 0x40);
    writer.boundary();
    writer.where("PE header");
    writer.field("magic", std::uint32_t{0x4550});
    Writer no_strings;
    put_coff(writer, sections, places, true, 0, no_strings, [&] {
        writer.where("optional header");
        writer.field("kind", std::uint16_t{0x20b});
        writer.name("", 22);
        writer.field("image base", host_load_address);
        writer.name("", optional_size - 32);
    });
    writer.append_sections(sections);
    return writer.finish();
}

HostFile build_coff(const std::vector<HostSection>& sections) {
    const auto places = HeaderWriter::places(20 + 40 * sections.size(), sections);
    const std::uint64_t end = sections.empty() ? 60 : places.back() + sections.back().bytes.size();
    Writer strings;
    strings.put(std::uint32_t{0});
    HeaderWriter writer;
    put_coff(writer, sections, places, false, end, strings, [] {});
    writer.append_sections(sections);
    strings.patch(0, static_cast<std::uint32_t>(strings.size()));
    writer.where("string table");
    writer.field("size", static_cast<std::uint32_t>(strings.size()));
    const Bytes table = strings.take();
    writer.out().append(std::span(table).subspan(4));
    return writer.finish();
}

// Sections are named "segment,section"; each is put into a segment of its own.
HostFile build_macho(const std::vector<HostSection>& sections) {
    constexpr std::size_t command_size = 72 + 80;
    const auto places = HeaderWriter::places(32 + command_size * sections.size(), sections);
    HeaderWriter writer;
    writer.where("Mach-O header");
    writer.field("magic", std::uint32_t{0xfeedfacf});
    writer.field("cpu", std::uint32_t{0x01000007});
    writer.field("cpu subtype", std::uint32_t{3});
    writer.field("file type", std::uint32_t{6});
    writer.field("command count", static_cast<std::uint32_t>(sections.size()));
    writer.field("commands size", static_cast<std::uint32_t>(command_size * sections.size()));
    writer.field("flags", std::uint32_t{0});
    writer.field("reserved", std::uint32_t{0});
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const std::string& name = sections[i].name;
        const std::string segment = name.substr(0, name.find(','));
        const std::uint64_t size = sections[i].bytes.size();
        writer.boundary();
        writer.where(fmt::format("segment {}", i));
        writer.field("command", std::uint32_t{0x19});
        writer.field("size", static_cast<std::uint32_t>(command_size));
        writer.name(segment, 16);
        writer.field("address", host_load_address + places[i]);
        writer.field("memory size", size);
        writer.field("file offset", places[i]);
        writer.field("file size", size);
        writer.field("max protection", std::uint32_t{1});
        writer.field("protection", std::uint32_t{1});
        writer.field("section count", std::uint32_t{1});
        writer.field("flags", std::uint32_t{0});
        writer.where(fmt::format("section {}", i));
        writer.name(name.substr(name.find(',') + 1), 16);
        writer.name(segment, 16);
        writer.field("address", host_load_address + places[i]);
        writer.field("size", size);
        writer.field("offset", static_cast<std::uint32_t>(places[i]));
        writer.field("alignment", std::uint32_t{3});
        writer.field("relocations", std::uint32_t{0});
        writer.field("relocation count", std::uint32_t{0});
        writer.field("flags", std::uint32_t{0});
        writer.name("", 12);
    }
    writer.append_sections(sections);
    return writer.finish();
}

// Text headers: the fields are those a reader looks at.
class ArchiveWriter {
  public:
    explicit ArchiveWriter(std::string_view magic) {
        file_.fields.push_back({"archive: magic", 0, 8});
        out_.text(magic);
    }

    void long_names(const std::vector<std::string>& names) {
        std::string table;
        for (const std::string& name : names) {
            name_fields_.push_back(name.size() > 15 ? fmt::format("/{}", table.size()) : name + "/");
            table += name.size() > 15 ? name + "/\n" : "";
        }
        if (!table.empty()) {
            header("//", table.size());
            put(bytes_of(table));
        }
    }
    void member(std::size_t index, std::size_t size, const Bytes& bytes) {
        header(name_fields_[index], size);
        file_.offsets.push_back(out_.size());
        put(bytes);
    }
    HostFile finish() {
        file_.bytes = out_.take();
        return std::move(file_);
    }

  private:
    void header(const std::string& name, std::size_t size) {
        const std::size_t at = out_.size();
        const std::string who = fmt::format("member {}", name);
        file_.boundaries.push_back(at);
        file_.boundaries.push_back(at + 60);
        file_.fields.push_back({who + ": name", at, 8});
        file_.fields.push_back({who + ": size", at + 48, 8});
        file_.fields.push_back({who + ": size, last digits", at + 56, 2});
        file_.fields.push_back({who + ": end", at + 58, 2});
        out_.text(fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, size));
    }
    void put(const Bytes& bytes) {
        out_.append(bytes);
        if (out_.size() % 2 == 1) {
            out_.put('\n');
        }
    }

    Writer out_;
    HostFile file_;
    std::vector<std::string> name_fields_;
};

} // namespace

HostFile build_host_file(HostFormat format, const std::vector<HostSection>& sections) {
    switch (format) {
    case HostFormat::elf64:
        return build_elf<std::uint64_t>(sections);
    case HostFormat::elf32:
        return build_elf<std::uint32_t>(sections);
    case HostFormat::pe:
        return build_pe(sections);
    case HostFormat::coff:
        return build_coff(sections);
    case HostFormat::macho:
        return build_macho(sections);
    }
    return {};
}

std::string container_section(HostFormat format) {
    return format == HostFormat::pe ? ".nv_fatb" : format == HostFormat::macho ? "__NV_CUDA,__nv_fatbin" : ".nv_fatbin";
}

std::string wrapper_section(HostFormat format) {
    return format == HostFormat::pe ? ".nvFatBi" : format == HostFormat::macho ? "__NV_CUDA,__fatbin" : ".nvFatBinSegment";
}

const char* name_of(HostFormat format) {
    constexpr std::array names{"elf64", "elf32", "pe", "coff", "macho"};
    return names.at(static_cast<std::size_t>(format));
}

Bytes fatbin_wrapper(std::uint32_t version, std::uint64_t pointer) {
    Writer out;
    out.put(std::uint32_t{0x466243b1});
    out.put(version);
    out.put(pointer);
    out.put(std::uint64_t{0});
    return out.take();
}

HostFile build_archive(const std::vector<std::pair<std::string, Bytes>>& members) {
    ArchiveWriter writer("!<arch>\n");
    std::vector<std::string> names;
    for (const auto& member : members) {
        names.push_back(member.first);
    }
    writer.long_names(names);
    for (std::size_t i = 0; i < members.size(); ++i) {
        writer.member(i, members[i].second.size(), members[i].second);
    }
    return writer.finish();
}

HostFile build_thin_archive(const std::vector<std::pair<std::string, std::size_t>>& members) {
    ArchiveWriter writer("!<thin>\n");
    std::vector<std::string> names;
    for (const auto& member : members) {
        names.push_back(member.first);
    }
    writer.long_names(names);
    for (std::size_t i = 0; i < members.size(); ++i) {
        writer.member(i, members[i].second, {});
    }
    return writer.finish();
}

} // namespace cag::test
