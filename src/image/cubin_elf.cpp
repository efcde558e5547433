#include "image/cubin_elf.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::cubin {

namespace {

// The array of `count` records at `offset`.
template <class Record>
Result<std::vector<Record>> read_records(const ByteView& view, std::uint64_t offset, std::uint64_t count, const Limits& limits,
                                         const char* what) {
    if (count > limits.max_table / sizeof(Record)) {
        return failure("CAG404", fmt::format("{}: {} records, more than the limit of {}", what, count, limits.max_table / sizeof(Record)),
                       view.position(std::min(offset, view.size())));
    }
    if (!view.contains(offset, count * sizeof(Record))) {
        return failure("CAG402", fmt::format("{}: {} records at {:#x} reach behind the cubin's {} bytes", what, count, offset, view.size()),
                       view.position(std::min(offset, view.size())));
    }
    std::vector<Record> records(count);
    if (auto done = view.read_into(offset, std::as_writable_bytes(std::span(records)), what); !done) {
        return tl::unexpected(done.error());
    }
    return records;
}

tl::unexpected<Problem> bad_field(const ByteView& view, const char* field, std::uint64_t value, std::uint64_t expected, std::size_t at) {
    return failure("CAG402", fmt::format("ELF header field '{}' is {:#x}, expected {:#x}", field, value, expected), view.position(at));
}

} // namespace

Result<Elf64_Ehdr> Elf::read_header(const ByteView& view) {
    auto header = view.read<Elf64_Ehdr>(0, "ELF header of a cubin");
    if (!header) {
        return failure("CAG402", fmt::format("{} bytes are too few for the ELF header of a cubin", view.size()), view.position());
    }
    const auto& ident = header->e_ident;
    if (std::memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return failure("CAG402", "no cubin: the bytes do not start with the ELF magic", view.position());
    }
    if (ident[EI_CLASS] != ELFCLASS64) {
        return bad_field(view, "class", ident[EI_CLASS], ELFCLASS64, EI_CLASS);
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return bad_field(view, "byte order", ident[EI_DATA], ELFDATA2LSB, EI_DATA);
    }
    if (header->e_machine != machine) {
        return bad_field(view, "e_machine", header->e_machine, machine, offsetof(Elf64_Ehdr, e_machine));
    }
    if (header->e_type != ET_REL && header->e_type != ET_EXEC) {
        return failure("CAG402", fmt::format("ELF header field 'e_type' is {}, expected 1 (relocatable) or 2 (executable)", header->e_type),
                       view.position(offsetof(Elf64_Ehdr, e_type)));
    }
    return header;
}

Result<Elf> Elf::open(const ByteView& view, const Limits& limits) {
    const auto header = read_header(view);
    if (!header) {
        return tl::unexpected(header.error());
    }
    Elf elf;
    elf.view_ = view;
    elf.limits_ = limits;
    elf.header_ = *header;
    if (header->e_shoff == 0) {
        return failure("CAG402", "the cubin has no section table, so its kernels cannot be read",
                       view.position(offsetof(Elf64_Ehdr, e_shoff)));
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr)) {
        return bad_field(view, "e_shentsize", header->e_shentsize, sizeof(Elf64_Shdr), offsetof(Elf64_Ehdr, e_shentsize));
    }
    // With 65,280 sections or more the counts lie in the first section's header.
    const auto first = view.read<Elf64_Shdr>(header->e_shoff, "section table of a cubin");
    if (!first) {
        return failure("CAG402", fmt::format("the section table at {:#x} lies outside the cubin's {} bytes", header->e_shoff, view.size()),
                       view.position(offsetof(Elf64_Ehdr, e_shoff)));
    }
    const std::uint64_t count = header->e_shnum == 0 ? first->sh_size : header->e_shnum;
    const std::uint32_t names = header->e_shstrndx == SHN_XINDEX ? first->sh_link : header->e_shstrndx;
    auto sections = read_records<Elf64_Shdr>(view, header->e_shoff, count, limits, "section table of a cubin");
    if (!sections) {
        return tl::unexpected(sections.error());
    }
    elf.sections_ = *std::move(sections);
    auto name_bytes = elf.contents(elf.section(names), "section names of a cubin");
    if (!name_bytes) {
        return tl::unexpected(name_bytes.error());
    }
    elf.names_ = *std::move(name_bytes);
    return elf;
}

const Elf64_Shdr* Elf::section(std::string_view name) const {
    const std::string_view all(reinterpret_cast<const char*>(names_.data()), names_.size());
    const auto is_named = [&](const Elf64_Shdr& section) {
        const std::uint64_t end = section.sh_name + name.size();
        return end < all.size() && all[end] == '\0' && all.compare(section.sh_name, name.size(), name) == 0;
    };
    const auto found = std::ranges::find_if(sections_, is_named);
    return found == sections_.end() ? nullptr : &*found;
}

Result<Bytes> Elf::contents(const Elf64_Shdr* section, const char* what) const {
    if (section == nullptr || section->sh_type == SHT_NOBITS) {
        return Bytes();
    }
    return start_of(*section, 0, section->sh_size, limits_.max_table).and_then([&](Bytes bytes) -> Result<Bytes> {
        if (bytes.size() != section->sh_size) {
            return failure("CAG404", fmt::format("{}: {} bytes, more than the limit of {}", what, section->sh_size, limits_.max_table),
                           view_.position(section->sh_offset));
        }
        return bytes;
    });
}

Result<Bytes> Elf::start_of(const Elf64_Shdr& section, std::uint64_t offset, std::uint64_t size, std::uint64_t limit) const {
    const bool inside = size <= section.sh_size && offset <= section.sh_size - size && view_.contains(section.sh_offset, section.sh_size);
    if (!inside) {
        return failure("CAG402",
                       fmt::format("section '{}' has {} bytes at {:#x}, which do not lie inside the cubin's {} bytes",
                                   text_at(names_, section.sh_name).value_or("?"), section.sh_size, section.sh_offset, view_.size()),
                       view_.position(std::min(section.sh_offset, view_.size())));
    }
    Bytes bytes(std::min(size, limit));
    if (auto done = view_.read_into(section.sh_offset + offset, bytes, "section of a cubin"); !done) {
        return tl::unexpected(done.error());
    }
    return bytes;
}

Result<std::vector<Elf64_Sym>> Elf::symbols(const Elf64_Shdr* table) const {
    if (table == nullptr) {
        return std::vector<Elf64_Sym>();
    }
    return read_records<Elf64_Sym>(view_, table->sh_offset, table->sh_size / sizeof(Elf64_Sym), limits_, "symbol table of a cubin");
}

std::uint64_t Elf::extent() const {
    std::uint64_t end = sizeof(Elf64_Ehdr);
    const auto include = [&](std::uint64_t offset, std::uint64_t size) {
        if (view_.contains(offset, size)) {
            end = std::max(end, offset + size);
        }
    };
    include(header_.e_shoff, sections_.size() * sizeof(Elf64_Shdr));
    include(header_.e_phoff, std::uint64_t{header_.e_phnum} * header_.e_phentsize);
    for (const Elf64_Shdr& section : sections_) {
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL) {
            include(section.sh_offset, section.sh_size);
        }
    }
    return end;
}

} // namespace cag::cubin
