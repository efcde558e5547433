// ELF of 64 and 32 bits, little-endian: Linux programs, shared libraries and objects. Look at one with `readelf -SW FILE`.
#include "object/elf.hpp"
#include "object/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <elf.h>

namespace cag {

namespace {

struct Elf64 {
    using Header = Elf64_Ehdr;
    using SectionHeader = Elf64_Shdr;
    using ProgramHeader = Elf64_Phdr;
    using Dynamic = Elf64_Dyn;
};

struct Elf32 {
    using Header = Elf32_Ehdr;
    using SectionHeader = Elf32_Shdr;
    using ProgramHeader = Elf32_Phdr;
    using Dynamic = Elf32_Dyn;
};

const char* machine_name(unsigned machine) {
    switch (machine) {
    case EM_X86_64:
        return "x86_64";
    case EM_AARCH64:
        return "aarch64";
    case EM_386:
        return "i386";
    case EM_ARM:
        return "arm";
    case EM_PPC64:
        return "ppc64le";
    case EM_RISCV:
        return "riscv";
    case 190:
        return "cuda";
    default:
        return "unknown";
    }
}

// A table of equal records; what lies outside the file is a problem and the table is empty.
template <class Record>
std::vector<Record> read_table(const ByteView& view, std::uint64_t offset, std::uint64_t count, std::uint64_t record_size, const char* what,
                               const Limits& limits, std::vector<Problem>& problems) {
    if (count == 0) {
        return {};
    }
    if (record_size != sizeof(Record)) {
        problems.push_back(
            {"CAG402", fmt::format("{}: expected records of {} bytes, found {}", what, sizeof(Record), record_size), view.position()});
        return {};
    }
    if (count > limits.max_table / sizeof(Record)) {
        problems.push_back({"CAG404",
                            fmt::format("{} has {} records, more than the limit of {}", what, count, limits.max_table / sizeof(Record)),
                            view.position(std::min(offset, view.size()))});
        return {};
    }
    std::vector<Record> records(count);
    if (auto done = view.read_into(offset, std::as_writable_bytes(std::span(records)), what); !done) {
        problems.push_back(done.error());
        return {};
    }
    return records;
}

Bytes read_strings(const ByteView& view, std::uint64_t offset, std::uint64_t size, const char* what, const Limits& limits,
                   std::vector<Problem>& problems) {
    auto bytes = view.sub(offset, size, what).and_then([&](const ByteView& table) { return table.bytes(limits.max_table, what); });
    if (!bytes) {
        problems.push_back(bytes.error());
        return {};
    }
    return *std::move(bytes);
}

bool is_symbols_or_debug(std::string_view name, std::uint32_t type) {
    return type == SHT_SYMTAB || type == SHT_STRTAB || type == SHT_RELA || type == SHT_REL || type == SHT_DYNSYM ||
           name.starts_with(".debug") || name.starts_with(".zdebug");
}

template <class Elf>
class Reader {
  public:
    Reader(const ByteView& view, const Limits& limits) : view_(view), limits_(limits) {}

    Result<ElfFile> read() {
        const auto header = view_.read<typename Elf::Header>(0, "ELF header");
        if (!header) {
            return tl::unexpected(header.error());
        }
        file_.object.format = "elf";
        file_.object.machine = machine_name(header->e_machine);
        file_.object.kind = header->e_type == ET_REL   ? ObjectFile::Kind::relocatable
                            : header->e_type == ET_DYN ? ObjectFile::Kind::shared
                                                       : ObjectFile::Kind::executable;
        read_sections(*header);
        const auto segments = read_table<typename Elf::ProgramHeader>(view_, header->e_phoff, header->e_phnum, header->e_phentsize,
                                                                      "ELF program headers", limits_, file_.object.problems);
        if (file_.object.sections.empty()) {
            reconstruct_sections(segments);
        }
        read_needed(segments);
        return std::move(file_);
    }

  private:
    void read_sections(const typename Elf::Header& header) {
        auto& problems = file_.object.problems;
        if (header.e_shoff == 0) {
            return;
        }
        // With 65,280 sections or more the counts lie in the first section's header.
        std::uint64_t count = header.e_shnum;
        std::uint64_t names_index = header.e_shstrndx;
        const auto first = view_.read<typename Elf::SectionHeader>(header.e_shoff, "ELF section headers");
        if (!first) {
            problems.push_back(first.error());
            return;
        }
        count = count == 0 ? first->sh_size : count;
        names_index = names_index == SHN_XINDEX ? first->sh_link : names_index;

        const auto headers = read_table<typename Elf::SectionHeader>(view_, header.e_shoff, count, header.e_shentsize,
                                                                     "ELF section headers", limits_, problems);
        Bytes names;
        if (names_index < headers.size()) {
            names =
                read_strings(view_, headers[names_index].sh_offset, headers[names_index].sh_size, "ELF section names", limits_, problems);
        }
        for (const auto& raw : headers) {
            add_section(raw, std::string(text_at(names, raw.sh_name).value_or("")));
        }
    }

    void add_section(const typename Elf::SectionHeader& raw, std::string name) {
        Section section;
        section.name = std::move(name);
        section.offset = raw.sh_offset;
        section.address = raw.sh_addr;
        section.size = raw.sh_type == SHT_NOBITS || raw.sh_type == SHT_NULL ? 0 : raw.sh_size;
        section.loaded = (raw.sh_flags & SHF_ALLOC) != 0;
        section.writable = (raw.sh_flags & SHF_WRITE) != 0;
        section.symbols_or_debug = !section.loaded && is_symbols_or_debug(section.name, raw.sh_type);
        clip_to_file(section, view_, file_.object.problems);
        file_.object.sections.push_back(std::move(section));
        file_.headers.push_back({raw.sh_type, raw.sh_link, raw.sh_info, raw.sh_entsize});
    }

    // Without a section table (stripped of it, or packed) the loaded segments are all that is known.
    template <class Segments>
    void reconstruct_sections(const Segments& segments) {
        file_.object.sections_reconstructed = true;
        for (const auto& segment : segments) {
            if (segment.p_type != PT_LOAD || segment.p_filesz == 0) {
                continue;
            }
            Section section;
            section.name = fmt::format("segment {}", file_.object.sections.size());
            section.offset = segment.p_offset;
            section.size = segment.p_filesz;
            section.address = segment.p_vaddr;
            section.loaded = true;
            section.writable = (segment.p_flags & PF_W) != 0;
            clip_to_file(section, view_, file_.object.problems);
            file_.object.sections.push_back(std::move(section));
        }
    }

    template <class Segments>
    void read_needed(const Segments& segments) {
        const auto dynamic = std::ranges::find_if(segments, [](const auto& segment) { return segment.p_type == PT_DYNAMIC; });
        if (dynamic == segments.end()) {
            return;
        }
        auto& object = file_.object;
        const auto entries =
            read_table<typename Elf::Dynamic>(view_, dynamic->p_offset, dynamic->p_filesz / sizeof(typename Elf::Dynamic),
                                              sizeof(typename Elf::Dynamic), "ELF dynamic section", limits_, object.problems);
        const auto value_of = [&](auto tag) -> std::optional<std::uint64_t> {
            const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.d_tag == tag; });
            return found == entries.end() ? std::nullopt : std::optional<std::uint64_t>(found->d_un.d_val);
        };
        const auto strings_address = value_of(DT_STRTAB);
        const auto strings_offset = strings_address ? object.offset_of_address(*strings_address) : std::nullopt;
        if (!strings_offset) {
            return;
        }
        const Bytes strings =
            read_strings(view_, *strings_offset, value_of(DT_STRSZ).value_or(0), "ELF dynamic strings", limits_, object.problems);
        for (const auto& entry : entries) {
            if (entry.d_tag == DT_NULL) {
                break;
            }
            if (entry.d_tag == DT_NEEDED) {
                object.needed.emplace_back(text_at(strings, entry.d_un.d_val).value_or(""));
            }
        }
        const auto run_path = value_of(DT_RUNPATH) ? value_of(DT_RUNPATH) : value_of(DT_RPATH);
        std::string folders{run_path ? text_at(strings, *run_path).value_or("") : ""};
        for (std::size_t end = 0; !folders.empty(); folders.erase(0, end == std::string::npos ? end : end + 1)) {
            end = folders.find(':');
            object.search_folders.push_back(folders.substr(0, end));
        }
    }

    ByteView view_;
    Limits limits_;
    ElfFile file_;
};

} // namespace

bool is_elf(const ByteView& view) {
    const auto magic = view.read<std::array<unsigned char, 4>>(0, "ELF magic");
    return magic && *magic == std::array<unsigned char, 4>{0x7f, 'E', 'L', 'F'};
}

Result<ElfFile> read_elf_file(const ByteView& view, const Limits& limits) {
    const auto ident = view.read<std::array<unsigned char, EI_NIDENT>>(0, "ELF identification");
    if (!ident) {
        return tl::unexpected(ident.error());
    }
    if ((*ident)[EI_DATA] != ELFDATA2LSB) {
        return failure(
            "CAG402",
            fmt::format("ELF data encoding: expected little-endian (1), found {}; CUDA has no big-endian hosts", (*ident)[EI_DATA]),
            view.position(EI_DATA));
    }
    switch ((*ident)[EI_CLASS]) {
    case ELFCLASS64:
        return Reader<Elf64>(view, limits).read();
    case ELFCLASS32:
        return Reader<Elf32>(view, limits).read();
    default:
        return failure("CAG402", fmt::format("ELF class: expected 1 (32-bit) or 2 (64-bit), found {}", (*ident)[EI_CLASS]),
                       view.position(EI_CLASS));
    }
}

Result<ObjectFile> read_elf(const ByteView& view, const Limits& limits) {
    return read_elf_file(view, limits).map([](ElfFile&& file) { return std::move(file.object); });
}

} // namespace cag
