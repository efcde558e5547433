#include "builders/host_file.hpp"

#include "builders/elf.hpp"
#include "builders/header_writer.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <array>

namespace cag::test {

namespace {

std::vector<ElfSection> elf_sections(const std::vector<HostSection>& sections) {
    std::vector<ElfSection> elf;
    for (const HostSection& section : sections) {
        const std::uint32_t type = section.table ? SHT_STRTAB : SHT_PROGBITS;
        elf.push_back({section.name, section.bytes, type, section.table ? 0U : SHF_ALLOC});
    }
    return elf;
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
        writer.field("image base", load_address);
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
        writer.field("address", load_address + places[i]);
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
        writer.field("address", load_address + places[i]);
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
        return build_elf(ET_DYN, elf_sections(sections));
    case HostFormat::elf32:
        return build_elf(ET_DYN, elf_sections(sections), EM_386);
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

Bytes library_with(const std::vector<Bytes>& containers) {
    if (containers.empty()) {
        return build_elf(ET_DYN, {{".rodata", bytes_of("no device code")}}).bytes;
    }
    const Bytes fatbin = joined(containers);
    const auto build = [&](std::uint64_t address) {
        std::vector<Bytes> wrappers;
        for (const Bytes& container : containers) {
            wrappers.push_back(fatbin_wrapper(1, address));
            address += container.size();
        }
        return build_elf(ET_DYN, {{".nvFatBinSegment", joined(wrappers)}, {".nv_fatbin", fatbin}});
    };
    return build(load_address + build(0).offsets[1]).bytes; // the first pass tells where the section lies
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
