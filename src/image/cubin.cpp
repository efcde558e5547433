// Cubins: ELF files of machine 190. Look at one with `readelf -hSsW CUBIN`.
#include "image/cubin_elf.hpp"
#include "image/cubin_notes.hpp"
#include "image/payload.hpp"
#include "image/sass_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cag {

namespace {

using cubin::Elf;

constexpr unsigned char entry_flag = 0x10; // STO_CUDA_ENTRY in st_other: a kernel

unsigned type_of(const Elf64_Sym& symbol) { return ELF64_ST_TYPE(symbol.st_info); }
unsigned binding_of(const Elf64_Sym& symbol) { return ELF64_ST_BIND(symbol.st_info); }

bool is_variable(const Elf64_Sym& symbol) {
    // Textures, surfaces and samplers, and data that only the device linker places, have types of their own.
    constexpr unsigned first_cuda_type = 10;
    constexpr unsigned last_cuda_type = 13;
    const unsigned type = type_of(symbol);
    return type == STT_OBJECT || (type >= first_cuda_type && type <= last_cuda_type);
}

// Registers of each symbol's function, by the symbol's index: `.nv.info` attributes {u8 format, u8 attribute, u16 size, ...}.
std::vector<std::optional<unsigned>> read_registers(std::span<const std::byte> info, std::size_t symbols) {
    constexpr std::uint8_t sized = 4;
    constexpr std::uint8_t register_count = 0x2f; // {u32 symbol, u32 registers}
    struct Attribute {
        std::uint8_t format;
        std::uint8_t attribute;
        std::uint16_t size;
    };
    struct RegisterCount {
        std::uint32_t symbol;
        std::uint32_t registers;
    };
    std::vector<std::optional<unsigned>> registers(symbols);
    while (info.size() >= sizeof(Attribute)) {
        Attribute head{};
        std::memcpy(&head, info.data(), sizeof(head));
        info = info.subspan(sizeof(head));
        if (head.format != sized) {
            continue;
        }
        if (head.attribute == register_count && head.size == sizeof(RegisterCount) && info.size() >= sizeof(RegisterCount)) {
            RegisterCount count{};
            std::memcpy(&count, info.data(), sizeof(count));
            if (count.symbol < symbols) {
                registers[count.symbol] = count.registers;
            }
        }
        info = info.subspan(std::min<std::size_t>(head.size, info.size()));
    }
    return registers;
}

// The section index of each symbol; those from 65,280 on lie in a table of their own.
Result<std::vector<std::uint32_t>> section_indices(const Elf& elf, const std::vector<Elf64_Sym>& symbols) {
    std::vector<std::uint32_t> indices(symbols.size());
    const auto table = std::ranges::find_if(elf.sections(), [](const Elf64_Shdr& section) { return section.sh_type == SHT_SYMTAB_SHNDX; });
    Bytes extended;
    if (table != elf.sections().end()) {
        auto bytes = elf.contents(&*table, "section indices of a cubin's symbols");
        if (!bytes) {
            return tl::unexpected(bytes.error());
        }
        extended = *std::move(bytes);
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        indices[i] = symbols[i].st_shndx;
        if (symbols[i].st_shndx == SHN_XINDEX && (i + 1) * sizeof(std::uint32_t) <= extended.size()) {
            std::memcpy(&indices[i], extended.data() + i * sizeof(std::uint32_t), sizeof(std::uint32_t));
        }
    }
    return indices;
}

struct Contents {
    std::vector<Kernel> kernels;
    std::vector<std::string> functions;
    std::vector<std::string> undefined;
    bool has_variables = false;
};

Result<Kernel> read_kernel(const Elf& elf, const Elf64_Sym& symbol, std::uint32_t section_index, std::string_view name,
                           std::optional<unsigned> registers, Arch arch) {
    Kernel kernel;
    kernel.name = name;
    kernel.code_size = symbol.st_size;
    kernel.registers = registers;
    const Elf64_Shdr* section = elf.section(section_index);
    if (section == nullptr) {
        return failure("CAG402",
                       fmt::format("kernel {} lies in section {}, but there are {} sections", name, section_index, elf.sections().size()));
    }
    if (const unsigned registers_in_info = section->sh_info >> 24; !kernel.registers && registers_in_info != 0) {
        kernel.registers = registers_in_info; // up to sm_89; newer ones only have .nv.info
    }
    const auto code = elf.start_of(*section, symbol.st_value, symbol.st_size, cubin::body_probe);
    if (!code) {
        return tl::unexpected(code.error());
    }
    kernel.body = cubin::body_of(*code, arch);
    return kernel;
}

Result<Contents> read_contents(const Elf& elf, Arch arch, const Limits& limits) {
    const Elf64_Shdr* table = elf.section(".symtab");
    if (table == nullptr) {
        return failure("CAG402", "the cubin has no symbol table, so its kernels cannot be read");
    }
    const auto symbols = elf.symbols(table);
    const auto names = elf.contents(elf.section(table->sh_link), "symbol names of a cubin");
    const auto info = elf.contents(elf.section(".nv.info"), ".nv.info of a cubin");
    if (!symbols) {
        return tl::unexpected(symbols.error());
    }
    for (const auto* bytes : {&names, &info}) {
        if (!*bytes) {
            return tl::unexpected(bytes->error());
        }
    }
    const auto indices = section_indices(elf, *symbols);
    if (!indices) {
        return tl::unexpected(indices.error());
    }
    const auto registers = read_registers(*info, symbols->size());

    Contents contents;
    std::uint64_t name_bytes = 0; // many symbols may have one long name
    for (std::size_t i = 1; i < symbols->size(); ++i) {
        const Elf64_Sym& symbol = (*symbols)[i];
        const bool defined = symbol.st_shndx != SHN_UNDEF;
        if (is_variable(symbol)) {
            contents.has_variables = contents.has_variables || defined;
            continue;
        }
        if (type_of(symbol) != STT_FUNC) {
            continue;
        }
        const auto name = text_at(*names, symbol.st_name);
        if (!name || name->empty()) {
            return failure(
                "CAG402", fmt::format("the name of symbol {} at {:#x} lies outside the names' {} bytes", i, symbol.st_name, names->size()));
        }
        name_bytes += name->size();
        if (name_bytes > limits.max_table) {
            return failure("CAG404", fmt::format("the names of its functions have more than the limit of {} bytes", limits.max_table));
        }
        if (!defined) {
            if (binding_of(symbol) == STB_GLOBAL) {
                contents.undefined.emplace_back(*name);
            }
        } else if ((symbol.st_other & entry_flag) != 0) {
            auto kernel = read_kernel(elf, symbol, (*indices)[i], *name, registers[i], arch);
            if (!kernel) {
                return tl::unexpected(kernel.error());
            }
            contents.kernels.push_back(*std::move(kernel));
        } else if (!name->starts_with('$')) { // "$kernel$function" is a copy inside a kernel
            contents.functions.emplace_back(*name);
        }
    }
    return contents;
}

void set_origin(Image& image, const Elf& elf, cubin::Origin origin) {
    image.relocatable = elf.header().e_type == ET_REL;
    image.toolkit = std::move(origin.toolkit);
    image.compiled_for = origin.compiled_for;
    image.options = std::move(origin.options);
    image.warpgroup = origin.warpgroup;
}

void set_contents(Image& image, Contents contents) {
    image.empty = contents.kernels.empty() && contents.functions.empty() && !contents.has_variables;
    image.kernels = std::move(contents.kernels);
    image.functions = std::move(contents.functions);
    image.undefined = std::move(contents.undefined);
    image.payload_read = true;
}

// Toolkits up to 6.5 made cubins for 32-bit programs too. No driver of today loads one; it is named and not read.
bool is_32_bit(const ByteView& view) {
    const auto header = view.read<Elf32_Ehdr>(0, "ELF header of a cubin");
    return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS32 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == cubin::machine &&
           (header->e_type == ET_REL || header->e_type == ET_EXEC) && view.contains(header->e_shoff, sizeof(Elf32_Shdr));
}

Result<Image> name_32_bit_cubin(const ByteView& view) {
    const auto header = view.read<Elf32_Ehdr>(0, "ELF header of a cubin");
    if (!header) {
        return tl::unexpected(header.error());
    }
    const std::uint64_t end = header->e_shoff + std::uint64_t{header->e_shnum} * header->e_shentsize;
    Image image;
    image.kind = ImageKind::unknown;
    image.label = "32-bit cubin";
    image.arch = arch_from_number(header->e_flags & 0xff);
    image.offset = view.position();
    image.size = std::min(end, view.size());
    image.expanded_size = image.size;
    return image;
}

} // namespace

Result<Arch> read_cubin_into(Image& image, const ByteView& view, const Limits& limits) {
    const auto elf = Elf::open(view, limits);
    if (!elf) {
        return tl::unexpected(elf.error());
    }
    auto origin = read_origin(*elf);
    if (!origin) {
        return tl::unexpected(origin.error());
    }
    const Arch arch = origin->arch;
    auto contents = read_contents(*elf, arch, limits);
    if (!contents) {
        return tl::unexpected(contents.error());
    }
    set_origin(image, *elf, *std::move(origin));
    set_contents(image, *std::move(contents));
    return arch;
}

bool is_cubin(const ByteView& view) {
    if (is_32_bit(view)) {
        return true;
    }
    const auto header = Elf::read_header(view);
    return header && view.contains(header->e_shoff, sizeof(Elf64_Shdr));
}

Result<Image> read_cubin(const ByteView& view, ScanDepth depth, const Limits& limits) {
    if (is_32_bit(view)) {
        return name_32_bit_cubin(view);
    }
    const auto elf = Elf::open(view, limits);
    if (!elf) {
        return tl::unexpected(elf.error());
    }
    auto origin = read_origin(*elf);
    if (!origin) {
        return tl::unexpected(origin.error());
    }
    Image image;
    image.kind = ImageKind::sass;
    image.arch = origin->arch;
    image.offset = view.position();
    image.size = elf->extent();
    image.expanded_size = image.size;
    image.debug = elf->section(".debug_info") != nullptr; // -lineinfo writes only lines
    set_origin(image, *elf, *std::move(origin));
    if (depth == ScanDepth::payload) {
        auto contents = read_contents(*elf, image.arch, limits);
        if (!contents) {
            return tl::unexpected(contents.error());
        }
        set_contents(image, *std::move(contents));
    }
    return image;
}

} // namespace cag
