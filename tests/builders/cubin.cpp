#include "builders/cubin.hpp"

#include "builders/writer.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>

namespace cag::test {

namespace {

constexpr std::uint32_t nv_info_type = SHT_LOPROC;

class Builder {
  public:
    explicit Builder(const Cubin& cubin) : cubin_(cubin) {}

    Bytes build() {
        out_.put(Elf64_Ehdr{});
        add_section("", SHT_NULL, {});
        symbols_.put(Elf64_Sym{});
        names_.put(char{});
        for (const CubinKernel& kernel : cubin_.kernels) {
            add_kernel(kernel);
        }
        for (const std::string& function : cubin_.functions) {
            const auto index = add_section(".text." + function, SHT_PROGBITS, code({0x986, 0x950}));
            add_symbol(function, STT_FUNC, STB_GLOBAL, 0, index, 32);
        }
        for (const std::string& variable : cubin_.variables) {
            const auto index = add_section(".nv.global." + variable, SHT_NOBITS, {});
            add_symbol(variable, STT_OBJECT, STB_GLOBAL, 0, index, 4);
        }
        for (const std::string& name : cubin_.undefined) {
            add_symbol(name, STT_FUNC, STB_GLOBAL, 0, SHN_UNDEF, 0);
        }
        add_notes();
        add_section(".nv.info", nv_info_type, info_.bytes());
        if (cubin_.debug_info) {
            add_section(".debug_info", SHT_PROGBITS, Bytes(16));
        }
        const auto names = add_section(".strtab", SHT_STRTAB, names_.bytes());
        const auto symbols = add_section(".symtab", SHT_SYMTAB, symbols_.bytes());
        sections_[symbols].sh_link = static_cast<std::uint32_t>(names);
        sections_[symbols].sh_entsize = sizeof(Elf64_Sym);
        finish();
        return out_.take();
    }

  private:
    std::size_t add_section(const std::string& name, std::uint32_t type, const Bytes& contents) {
        Elf64_Shdr section{};
        section.sh_name = static_cast<std::uint32_t>(section_names_.text(name));
        section_names_.put(char{});
        section.sh_type = type;
        out_.align(8);
        section.sh_offset = out_.append(contents);
        section.sh_size = contents.size();
        sections_.push_back(section);
        return sections_.size() - 1;
    }

    std::uint32_t add_symbol(const std::string& name, unsigned type, unsigned binding, unsigned char other, std::size_t section,
                             std::uint64_t size) {
        Elf64_Sym symbol{};
        symbol.st_name = static_cast<std::uint32_t>(names_.text(name));
        names_.put(char{});
        symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type));
        symbol.st_other = other;
        symbol.st_shndx = static_cast<std::uint16_t>(section);
        symbol.st_size = size;
        symbols_.put(symbol);
        return static_cast<std::uint32_t>(symbols_.size() / sizeof(Elf64_Sym) - 1);
    }

    static Bytes code(const std::vector<std::uint16_t>& opcodes) {
        Writer writer;
        for (const std::uint16_t opcode : opcodes) {
            writer.put(std::uint64_t{opcode} | 0x7000); // predicate PT: unconditional
            writer.put(std::uint64_t{0});
        }
        return writer.take();
    }

    void add_kernel(const CubinKernel& kernel) {
        const Bytes body = code(kernel.opcodes);
        const auto section = add_section(".text." + kernel.name, SHT_PROGBITS, body);
        const auto symbol = add_symbol(kernel.name, STT_FUNC, STB_GLOBAL, 0x10, section, body.size());
        info_.put(std::uint32_t{0x00082f04}); // a sized attribute, REGCOUNT, of 8 bytes
        info_.put(symbol);
        info_.put(kernel.registers);
    }

    static Bytes note(std::uint32_t type, const Bytes& contents) {
        Writer writer;
        writer.put(Elf64_Nhdr{12, static_cast<std::uint32_t>(contents.size()), type});
        writer.text(std::string_view("NVIDIA Corp\0", 12));
        writer.append(contents);
        return writer.take();
    }

    void add_notes() {
        if (cubin_.abi >= 8) {
            Writer cuinfo;
            cuinfo.put(std::uint16_t{2});
            cuinfo.put(static_cast<std::uint16_t>(cubin_.virtual_sm));
            cuinfo.put(cubin_.toolkit);
            add_section(".note.nv.cuinfo", SHT_NOTE, note(1000, cuinfo.bytes()));
        }
        if (!cubin_.options.empty()) {
            const std::string version = fmt::format("Cuda compilation tools, release {}.{}, V{}.{}.88", cubin_.toolkit / 10,
                                                    cubin_.toolkit % 10, cubin_.toolkit / 10, cubin_.toolkit % 10);
            Writer texts;
            std::vector<std::uint32_t> offsets;
            for (const std::string& text : {std::string(), std::string("ptxas"), version, std::string("Build"), cubin_.options}) {
                offsets.push_back(static_cast<std::uint32_t>(texts.text(text)));
                texts.put(char{});
            }
            texts.align(4);
            Writer tkinfo;
            tkinfo.put(std::uint32_t{2});
            for (const std::uint32_t offset : offsets) {
                tkinfo.put(offset);
            }
            tkinfo.append(texts.bytes());
            add_section(".note.nv.tkinfo", SHT_NOTE, note(2000, tkinfo.bytes()));
        }
        if (cubin_.accelerator_target) {
            Writer compat;
            compat.put(std::uint32_t{0x00010202}); // another attribute first
            compat.put(std::uint32_t{0x00000902} | static_cast<std::uint32_t>(*cubin_.accelerator_target) << 16);
            add_section(".nv.compat", SHT_LOPROC + 0x86, compat.take());
        }
    }

    void finish() {
        const auto names = add_section(".shstrtab", SHT_STRTAB, {});
        out_.align(8);
        sections_[names].sh_offset = out_.append(section_names_.bytes());
        sections_[names].sh_size = section_names_.size();
        out_.align(8);
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_ident[EI_VERSION] = EV_CURRENT;
        header.e_ident[EI_OSABI] = cubin_.abi >= 8 ? 0x41 : 0x33;
        header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(cubin_.abi);
        header.e_type = cubin_.relocatable ? ET_REL : ET_EXEC;
        header.e_machine = 190;
        header.e_version = cubin_.abi >= 8 ? 1 : cubin_.toolkit;
        header.e_flags = cubin_.more_flags | (cubin_.abi >= 8 ? cubin_.sm << 8 : cubin_.sm | cubin_.virtual_sm << 16);
        header.e_ehsize = sizeof(Elf64_Ehdr);
        header.e_shentsize = sizeof(Elf64_Shdr);
        header.e_shnum = static_cast<std::uint16_t>(sections_.size());
        header.e_shstrndx = static_cast<std::uint16_t>(names);
        header.e_shoff = out_.size();
        for (const Elf64_Shdr& section : sections_) {
            out_.put(section);
        }
        out_.patch(0, header);
    }

    const Cubin& cubin_;
    Writer out_;
    Writer names_;
    Writer section_names_;
    Writer symbols_;
    Writer info_;
    std::vector<Elf64_Shdr> sections_;
};

} // namespace

Bytes build(const Cubin& cubin) { return Builder(cubin).build(); }

std::vector<Field> fields_of_cubin(const Bytes& cubin) {
    std::vector<Field> fields{
        {"e_ident class", EI_CLASS, 1},
        {"e_ident ABI version", EI_ABIVERSION, 1},
        {"e_type", offsetof(Elf64_Ehdr, e_type), 2},
        {"e_machine", offsetof(Elf64_Ehdr, e_machine), 2},
        {"e_version", offsetof(Elf64_Ehdr, e_version), 4},
        {"e_shoff", offsetof(Elf64_Ehdr, e_shoff), 8},
        {"e_phoff", offsetof(Elf64_Ehdr, e_phoff), 8},
        {"e_flags", offsetof(Elf64_Ehdr, e_flags), 4},
        {"e_phnum", offsetof(Elf64_Ehdr, e_phnum), 2},
        {"e_shentsize", offsetof(Elf64_Ehdr, e_shentsize), 2},
        {"e_shnum", offsetof(Elf64_Ehdr, e_shnum), 2},
        {"e_shstrndx", offsetof(Elf64_Ehdr, e_shstrndx), 2},
    };
    Elf64_Ehdr header{};
    std::memcpy(&header, cubin.data(), sizeof(header));
    const auto add_numbers = [&](const std::string& what, std::size_t from, std::size_t size) {
        for (std::size_t at = 0; at + 4 <= size; at += 4) {
            fields.push_back({fmt::format("{} at +{}", what, at), from + at, 4});
        }
    };
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        const std::size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
        Elf64_Shdr section{};
        std::memcpy(&section, cubin.data() + at, sizeof(section));
        const std::string name = fmt::format("section {}", i);
        fields.push_back({name + ": sh_name", at + offsetof(Elf64_Shdr, sh_name), 4});
        fields.push_back({name + ": sh_type", at + offsetof(Elf64_Shdr, sh_type), 4});
        fields.push_back({name + ": sh_offset", at + offsetof(Elf64_Shdr, sh_offset), 8});
        fields.push_back({name + ": sh_size", at + offsetof(Elf64_Shdr, sh_size), 8});
        fields.push_back({name + ": sh_link", at + offsetof(Elf64_Shdr, sh_link), 4});
        if (section.sh_type == SHT_NOTE || section.sh_type == nv_info_type) {
            add_numbers(fmt::format("contents of section {}", i), section.sh_offset, section.sh_size);
        }
        if (section.sh_type == SHT_SYMTAB) {
            for (std::size_t symbol = 0; symbol < section.sh_size / sizeof(Elf64_Sym); ++symbol) {
                const std::size_t in = section.sh_offset + symbol * sizeof(Elf64_Sym);
                const std::string which = fmt::format("symbol {}", symbol);
                fields.push_back({which + ": st_name", in + offsetof(Elf64_Sym, st_name), 4});
                fields.push_back({which + ": st_info", in + offsetof(Elf64_Sym, st_info), 1});
                fields.push_back({which + ": st_other", in + offsetof(Elf64_Sym, st_other), 1});
                fields.push_back({which + ": st_shndx", in + offsetof(Elf64_Sym, st_shndx), 2});
                fields.push_back({which + ": st_value", in + offsetof(Elf64_Sym, st_value), 8});
                fields.push_back({which + ": st_size", in + offsetof(Elf64_Sym, st_size), 8});
            }
        }
    }
    return fields;
}

} // namespace cag::test
