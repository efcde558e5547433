// What ELF's symbol and relocation tables say of pointers in data: in objects and in position-independent programs the pointer's own bytes
// may be zero, and only the relocation tells where it will point.
#include "object/elf.hpp"

#include <algorithm>
#include <elf.h>

namespace cag {

namespace {

template <class Record>
std::vector<Record> records(const ByteView& view, const Section& section, const Limits& limits) {
    const std::uint64_t size = std::min(section.size, limits.max_table);
    std::vector<Record> table(size / sizeof(Record));
    if (!view.read_into(section.offset, std::as_writable_bytes(std::span(table)), "ELF table").has_value()) {
        table.clear();
    }
    return table;
}

// A symbol table with what is needed to turn a symbol into a place in the file.
class SymbolTable {
  public:
    SymbolTable(const ByteView& view, const ElfFile& file, std::size_t index, const Limits& limits) : file_(file) {
        const auto& sections = file.object.sections;
        if (index >= sections.size()) {
            return;
        }
        symbols_ = records<Elf64_Sym>(view, sections[index], limits);
        // Objects with 65,280 sections or more keep the section numbers in a table of their own.
        for (std::size_t i = 0; i < sections.size(); ++i) {
            if (file.headers[i].type == SHT_SYMTAB_SHNDX && file.headers[i].link == index) {
                wide_indices_ = records<Elf64_Word>(view, sections[i], limits);
            }
        }
    }

    [[nodiscard]] const std::vector<Elf64_Sym>& symbols() const { return symbols_; }

    // Where the symbol's first byte lies in the file; nullopt for undefined and absolute symbols.
    [[nodiscard]] std::optional<std::uint64_t> file_offset(std::size_t index) const {
        if (index >= symbols_.size()) {
            return std::nullopt;
        }
        const Elf64_Sym& symbol = symbols_[index];
        if (file_.object.kind != ObjectFile::Kind::relocatable) {
            return symbol.st_shndx == SHN_UNDEF ? std::nullopt : file_.object.offset_of_address(symbol.st_value);
        }
        const std::size_t section = symbol.st_shndx != SHN_XINDEX  ? symbol.st_shndx
                                    : index < wide_indices_.size() ? wide_indices_[index]
                                                                   : SHN_UNDEF;
        if (section == SHN_UNDEF || section >= file_.object.sections.size()) {
            return std::nullopt;
        }
        return file_.object.sections[section].offset + symbol.st_value;
    }

  private:
    const ElfFile& file_;
    std::vector<Elf64_Sym> symbols_;
    std::vector<Elf64_Word> wide_indices_;
};

bool is_64_bit(const ByteView& view) { return view.read<unsigned char>(EI_CLASS, "ELF class").value_or(0) == ELFCLASS64; }

} // namespace

std::vector<RelocatedPointer> relocated_pointers(const ByteView& view, std::size_t index, const Limits& limits) {
    std::vector<RelocatedPointer> pointers;
    const auto file = read_elf_file(view, limits);
    if (!file || !is_64_bit(view) || index >= file->headers.size()) {
        return pointers;
    }
    const auto& sections = file->object.sections;
    const Section& target = sections[index];
    const bool relocatable = file->object.kind == ObjectFile::Kind::relocatable;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        // An object has one table for each section; a linked file has tables for the whole program.
        if (file->headers[i].type != SHT_RELA || (relocatable && file->headers[i].info != index)) {
            continue;
        }
        const SymbolTable symbols(view, *file, file->headers[i].link, limits);
        for (const Elf64_Rela& entry : records<Elf64_Rela>(view, sections[i], limits)) {
            const std::uint64_t place = relocatable ? entry.r_offset : entry.r_offset - target.address;
            if (place >= target.size) {
                continue;
            }
            const auto symbol = ELF64_R_SYM(entry.r_info);
            const auto addend = static_cast<std::uint64_t>(entry.r_addend);
            if (symbol == 0) {
                if (const auto pointed = file->object.offset_of_address(addend)) {
                    pointers.push_back({target.offset + place, *pointed});
                }
            } else if (const auto base = symbols.file_offset(symbol)) {
                pointers.push_back({target.offset + place, *base + addend});
            }
        }
    }
    return pointers;
}

std::vector<Symbol> symbols_named(const ByteView& view, std::string_view name, const Limits& limits) {
    std::vector<Symbol> found;
    const auto file = read_elf_file(view, limits);
    if (!file || !is_64_bit(view)) {
        return found;
    }
    for (std::size_t i = 0; i < file->headers.size(); ++i) {
        if (file->headers[i].type != SHT_SYMTAB || file->headers[i].link >= file->headers.size()) {
            continue;
        }
        const Section& names = file->object.sections[file->headers[i].link];
        const auto strings = view.sub(names.offset, names.size, "ELF symbol names").and_then([&](const ByteView& table) {
            return table.bytes(limits.max_table, "ELF symbol names");
        });
        if (!strings) {
            continue;
        }
        for (const Elf64_Sym& symbol : records<Elf64_Sym>(view, file->object.sections[i], limits)) {
            if (text_at(*strings, symbol.st_name) == name) {
                found.push_back({std::string(name), symbol.st_value, symbol.st_size});
            }
        }
    }
    return found;
}

} // namespace cag
