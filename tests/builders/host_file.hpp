// Files of the host's formats with device code in them, and the numbers in their headers, collected while they are written.
#pragma once

#include "builders/damage.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cag::test {

enum class HostFormat { elf64, elf32, pe, coff, macho };

struct HostSection {
    std::string name;
    Bytes bytes;
    bool table = false; // not loaded: a table for linkers (ELF only)
};

struct HostFile {
    Bytes bytes;
    std::vector<std::uint64_t> offsets;  // of each section's bytes
    std::vector<Field> fields;           // of the headers; "magic" is in the name of those without which it is no such file
    std::vector<std::size_t> boundaries; // where one thing ends and the next starts
};

// In linked files (all but coff) the address of a byte is this plus its offset.
constexpr std::uint64_t load_address = 0x100000;

// A shared library, DLL or object with these sections.
[[nodiscard]] HostFile build_host_file(HostFormat format, const std::vector<HostSection>& sections);

// An ELF library with the containers in `.nv_fatbin`, and a wrapper that registers each.
[[nodiscard]] Bytes library_with(const std::vector<Bytes>& containers);

// What the compilers call the section of containers, and that of wrappers, in this format.
[[nodiscard]] std::string container_section(HostFormat format);
[[nodiscard]] std::string wrapper_section(HostFormat format);
[[nodiscard]] const char* name_of(HostFormat format);

// One wrapper that registers what lies at `pointer`.
[[nodiscard]] Bytes fatbin_wrapper(std::uint32_t version, std::uint64_t pointer);

// An archive (.a) with these members, names longer than 15 characters in a table of their own; the fields are its text headers.
[[nodiscard]] HostFile build_archive(const std::vector<std::pair<std::string, Bytes>>& members);
// One whose members lie in files beside it.
[[nodiscard]] HostFile build_thin_archive(const std::vector<std::pair<std::string, std::size_t>>& members);

} // namespace cag::test
