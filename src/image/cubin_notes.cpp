// Look at them with `readelf -p .note.nv.tkinfo -x .note.nv.cuinfo -x .nv.compat CUBIN`.
#include "image/cubin_notes.hpp"

#include "image/recorded_text.hpp"

#include <fmt/format.h>

#include <array>

namespace cag::cubin {

namespace {

template <class T>
std::optional<T> value_at(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// Toolkit versions are stored as one number, 130 for 13.0. Nothing below 4.0 wrote this format.
std::string toolkit_from(std::uint32_t number) { return number < 40 || number > 999 ? "" : fmt::format("{}.{}", number / 10, number % 10); }

// The contents of the first ELF note of `type`.
std::span<const std::byte> note(std::span<const std::byte> section, std::uint32_t type) {
    const auto align = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
    while (const auto header = value_at<Elf64_Nhdr>(section, 0)) {
        const std::uint64_t start = sizeof(Elf64_Nhdr) + align(header->n_namesz);
        const std::uint64_t end = start + header->n_descsz;
        if (end > section.size()) {
            break;
        }
        if (header->n_type == type) {
            return section.subspan(start, header->n_descsz);
        }
        section = section.subspan(std::min<std::uint64_t>(align(end), section.size()));
    }
    return {};
}

// {u16 version, u16 virtual SM, u32 toolkit}; the same note of 12.9 is called cuver and has no toolkit there.
void read_cuinfo(std::span<const std::byte> bytes, Origin& origin) {
    if (const auto sm = value_at<std::uint16_t>(bytes, 2); sm && *sm != 0) {
        origin.compiled_for = arch_from_number(*sm);
    }
    origin.toolkit = toolkit_from(value_at<std::uint32_t>(bytes, 4).value_or(0));
}

// {u32 version, u32 offsets of five texts: object, tool, tool version, branch, options}, then the texts
void read_tkinfo(std::span<const std::byte> bytes, Origin& origin) {
    constexpr std::size_t texts_at = 24;
    const auto text = [&](std::size_t index) -> std::string_view {
        const auto offset = value_at<std::uint32_t>(bytes, 4 + 4 * index);
        return offset ? text_at(bytes.subspan(std::min(bytes.size(), texts_at)), *offset).value_or("") : std::string_view();
    };
    if (origin.toolkit.empty()) {
        origin.toolkit = release_in(text(2));
    }
    origin.options = trimmed(text(4));
}

// `.nv.compat` is a stream of {u8 format, u8 attribute, value}; values of format 2 have one byte that tells.
constexpr std::uint8_t warpgroup_use = 2;      // 3: warpgroup instructions (wgmma) are in the code, 1: none are
constexpr std::uint8_t accelerator_target = 9; // 1: compiled for an `a` target

std::optional<std::uint8_t> compat_value(std::span<const std::byte> bytes, std::uint8_t wanted) {
    std::uint64_t at = 0;
    while (const auto head = value_at<std::array<std::uint8_t, 4>>(bytes, at)) {
        const auto [format, attribute, low, high] = *head;
        if (attribute == wanted && format == 2) {
            return low;
        }
        at += 4;
        if (format == 4) {
            at += low + 256U * high;
        }
    }
    return std::nullopt;
}

// "sm_100f" behind "-arch" in the options of ptxas and nvlink.
std::optional<Arch> arch_in_options(std::string_view options) {
    const auto option = options.find("-arch");
    const auto start = option == std::string_view::npos ? option : options.find("sm_", option);
    if (start == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = options.substr(start);
    return parse_arch(rest.substr(0, rest.find_first_of(" \t,]")));
}

Variant variant_of(const Elf& elf, unsigned number, const Origin& origin, std::span<const std::byte> compat) {
    if (const auto named = arch_in_options(origin.options); named && named->number() == number) {
        return named->variant;
    }
    const std::uint32_t flags = elf.header().e_flags;
    // CUDA 9 sets 0x800 for sm_60 and sm_61, where it means something else: `a` begins with sm_90.
    const bool by_flag = elf.abi() <= old_abi ? (flags & 0x800) != 0 && number >= 90 : (flags & 0x8) != 0;
    return by_flag || compat_value(compat, accelerator_target) == 1 ? Variant::arch_specific : Variant::plain;
}

} // namespace

Result<Origin> read_origin(const Elf& elf) {
    const auto section = [&](const char* name) { return elf.contents(elf.section(name), name); };
    const auto cuinfo = section(elf.section(".note.nv.cuinfo") != nullptr ? ".note.nv.cuinfo" : ".note.nv.cuver");
    const auto tkinfo = section(".note.nv.tkinfo");
    const auto compat = section(".nv.compat");
    for (const auto* bytes : {&cuinfo, &tkinfo, &compat}) {
        if (!*bytes) {
            return tl::unexpected(bytes->error());
        }
    }
    Origin origin;
    const std::uint32_t flags = elf.header().e_flags;
    unsigned number = flags >> 8 & 0xff;
    if (elf.abi() <= old_abi) {
        number = flags & 0xff;
        if (const unsigned virtual_number = flags >> 16 & 0xff; virtual_number != 0) {
            origin.compiled_for = arch_from_number(virtual_number);
        }
        origin.toolkit = toolkit_from(elf.header().e_version);
    } else if (elf.abi() > new_abi) {
        return failure("CAG405", fmt::format("cubin ABI version {} is not known; known are {} and {}", elf.abi(), old_abi, new_abi));
    }
    if (!cuinfo->empty()) {
        read_cuinfo(note(*cuinfo, 1000), origin);
    }
    if (!tkinfo->empty()) {
        read_tkinfo(note(*tkinfo, 2000), origin);
    }
    origin.arch = arch_from_number(number, variant_of(elf, number, origin, *compat));
    constexpr Arch arch_with_warpgroups{9, 0, Variant::arch_specific};
    if (const auto use = compat_value(*compat, warpgroup_use); use && origin.arch == arch_with_warpgroups) {
        origin.warpgroup = use != 1;
    }
    return origin;
}

} // namespace cag::cubin
