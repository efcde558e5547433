// The ELF container of a cubin: sections and symbols, read one by one so that code and debug information stay unread.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <elf.h>

#include <optional>
#include <string_view>
#include <vector>

namespace cag::cubin {

constexpr std::uint16_t machine = 190;

// Cubins come in two layouts of e_flags and e_version; EI_ABIVERSION tells which.
constexpr unsigned old_abi = 7; // toolkits up to 12.x for sm_50 to sm_90
constexpr unsigned new_abi = 8; // 12.x for sm_100 and newer, 13.x for all

class Elf {
  public:
    // Reads the header only.
    [[nodiscard]] static Result<Elf64_Ehdr> read_header(const ByteView& view);
    [[nodiscard]] static Result<Elf> open(const ByteView& view, const Limits& limits);

    [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
    [[nodiscard]] unsigned abi() const { return header_.e_ident[EI_ABIVERSION]; }
    [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
    [[nodiscard]] const Elf64_Shdr* section(std::string_view name) const;
    [[nodiscard]] const Elf64_Shdr* section(std::size_t index) const { return index < sections_.size() ? &sections_[index] : nullptr; }

    // A section's bytes; empty where there is no such section.
    [[nodiscard]] Result<Bytes> contents(const Elf64_Shdr* section, const char* what) const;
    // The first bytes of a part of a section, `limit` at most.
    [[nodiscard]] Result<Bytes> start_of(const Elf64_Shdr& section, std::uint64_t offset, std::uint64_t size, std::uint64_t limit) const;
    [[nodiscard]] Result<std::vector<Elf64_Sym>> symbols(const Elf64_Shdr* table) const;

    // Bytes from the start of the header to the end of the last part that the headers name.
    [[nodiscard]] std::uint64_t extent() const;

  private:
    ByteView view_;
    Limits limits_;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Shdr> sections_;
    Bytes names_;
};

} // namespace cag::cubin
