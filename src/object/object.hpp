// Object files: sections, symbols and relocated pointers of ELF, PE/COFF and Mach-O; members of ar archives. Nothing here knows of CUDA.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cag {

struct Section {
    std::string name;
    std::uint64_t offset = 0;  // of its bytes in the file
    std::uint64_t size = 0;    // of its bytes in the file; 0 where it has none (.bss)
    std::uint64_t address = 0; // where it is loaded; 0 in relocatable objects
    bool loaded = false;       // part of the program's memory
    bool writable = false;
    bool symbols_or_debug = false; // tables for linkers and debuggers: nothing that a program loads
};

struct Symbol {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
};

struct ObjectFile {
    enum class Kind : std::uint8_t { relocatable, executable, shared };

    std::string format;  // "elf", "pe", "coff", "macho"
    std::string machine; // "x86_64", "aarch64", ...
    Kind kind = Kind::executable;
    bool sections_reconstructed = false; // no section table: the sections are the program's segments
    std::vector<Section> sections;
    std::vector<std::string> needed;         // shared libraries that it asks for, in order
    std::vector<std::string> search_folders; // where it wants them looked for (ELF RUNPATH, else RPATH), as written: "$ORIGIN/../lib"
    std::vector<Problem> problems;           // damaged parts; the rest was read

    // Offset in the file of the byte that the program finds at `address`.
    [[nodiscard]] std::optional<std::uint64_t> offset_of_address(std::uint64_t address) const;
    // The section that holds the byte at `offset` of the file.
    [[nodiscard]] const Section* section_at(std::uint64_t offset) const;
    [[nodiscard]] const Section* section_named(std::string_view name) const;
};

// True where the first bytes are those of the format.
[[nodiscard]] bool is_elf(const ByteView& view);
[[nodiscard]] bool is_pe(const ByteView& view);
[[nodiscard]] bool is_coff(const ByteView& view);
[[nodiscard]] bool is_macho(const ByteView& view);
[[nodiscard]] bool is_archive(const ByteView& view);

[[nodiscard]] Result<ObjectFile> read_elf(const ByteView& view, const Limits& limits);
[[nodiscard]] Result<ObjectFile> read_pe(const ByteView& view, const Limits& limits);
[[nodiscard]] Result<ObjectFile> read_coff(const ByteView& view, const Limits& limits);
[[nodiscard]] Result<ObjectFile> read_macho(const ByteView& view, const Limits& limits);

// A pointer that a relocation fills in: where it lies, and the place in the file that it will point to.
struct RelocatedPointer {
    std::uint64_t offset = 0; // of the pointer in the file
    std::uint64_t target = 0; // offset in the file
};

// The relocated pointers whose place lies in section `index` of an ELF file (64-bit RELA; other formats keep the value in place).
[[nodiscard]] std::vector<RelocatedPointer> relocated_pointers(const ByteView& view, std::size_t index, const Limits& limits);

// Sizes of the data symbols with this name (ELF .symtab), in the order of the table. Empty in stripped files.
[[nodiscard]] std::vector<Symbol> symbols_named(const ByteView& view, std::string_view name, const Limits& limits);

// One member of an archive. A thin archive's member lies in a file of its own.
struct ArchiveMember {
    std::string name;
    std::uint64_t offset = 0; // of its bytes in the archive
    std::uint64_t size = 0;
    bool external = false; // thin: `name` is a path relative to the archive
};

struct Archive {
    bool thin = false;
    std::vector<ArchiveMember> members; // symbol and name tables left out
    std::vector<Problem> problems;
};

[[nodiscard]] Archive read_archive(const ByteView& view, const Limits& limits);

} // namespace cag
