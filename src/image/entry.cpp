#include "image/entry.hpp"

#include "image/concat.hpp"
#include "image/recorded_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

namespace cag::fatbin {

namespace {

std::string text_from(std::span<const std::byte> raw) {
    std::string text(reinterpret_cast<const char*>(raw.data()), raw.size());
    text.erase(std::min(text.find('\0'), text.size()));
    return trimmed(text);
}

// Names of the kinds that no toolkit at hand writes. They are what cuobjdump prints for the number; their payloads are never guessed at.
std::string kind_label(std::uint16_t kind) {
    const char* name = nullptr;
    switch (kind) {
    case 0x4:
        name = "old cubin";
        break;
    case 0x20:
        name = "index";
        break;
    case 0x40:
        name = "relocatable PTX";
        break;
    case 0x80:
        name = "tile IR";
        break;
    default:
        return fmt::format("kind {:#x}", kind);
    }
    return fmt::format("kind {:#x} ({})", kind, name);
}

Arch arch_of(const EntryHeader& header, std::uint64_t position, const Reporter& report) {
    const bool specific = (header.flags & flag::arch_specific) != 0;
    const bool family = (header.flags & flag::family_specific) != 0;
    if (specific && family) {
        report("CAG402",
               fmt::format("flags {:#x} name both an arch-specific and a family-specific target; at most one is possible", header.flags),
               position + offsetof(EntryHeader, flags));
    }
    // Two digits up to sm_99 and three from sm_100: anything else is no architecture that was ever numbered.
    if (header.sm < 10 || header.sm > 999) {
        report("CAG402", fmt::format("field 'architecture' is {}, expected a number such as 75 or 120", header.sm),
               position + offsetof(EntryHeader, sm));
    }
    return arch_from_number(header.sm, specific ? Variant::arch_specific : family ? Variant::family_specific : Variant::plain);
}

// nvcc compiles PTX of -rdc with this option, and nothing else in the header tells it.
bool compile_only(const std::string& options) { return options.find("--compile-only") != std::string::npos; }

} // namespace

void Reporter::operator()(const char* code, const std::string& what, std::uint64_t offset) const {
    constexpr std::size_t most = 64; // a container damaged all over needs no million messages
    if (problems_->size() < most) {
        problems_->push_back({code, place_ + ": " + what, offset});
    } else if (problems_->size() == most) {
        problems_->push_back({code, place_ + ": more problems follow that are not listed", offset});
    }
}

Strings read_strings(Window& window, std::uint64_t record, const EntryHeader& header, std::uint64_t room, const Reporter& report) {
    Strings strings;
    strings.end = sizeof(EntryHeader);
    const auto text = [&](const char* what, std::uint64_t offset, std::uint64_t size, std::uint64_t field) -> std::string {
        if (offset > room || size > room - offset) {
            report("CAG402",
                   fmt::format("{} at {:#x} with {} bytes reaches outside the entry's header of {} bytes", what, offset, size, room),
                   window.view().position(record + field));
            return {};
        }
        strings.end = std::max(strings.end, offset + size);
        auto raw = window.get(record + offset, size, what);
        return raw ? text_from(*raw) : std::string();
    };
    if (header.name_offset != 0) {
        strings.source = text("source name", header.name_offset, header.name_size, offsetof(EntryHeader, name_offset));
    }
    if (header.options_offset != 0) {
        struct Span {
            std::uint32_t offset;
            std::uint32_t size;
        };
        const std::uint64_t options = header.options_offset;
        if (options > room || room - options < sizeof(Span)) {
            report("CAG402", fmt::format("field 'options offset' is {:#x}, outside the entry's header of {} bytes", options, room),
                   window.view().position(record + offsetof(EntryHeader, options_offset)));
            return strings;
        }
        strings.end = std::max(strings.end, options + sizeof(Span));
        if (const auto span = window.read<Span>(record + options, "options record"); span && span->offset != 0) {
            std::string options_text = text("options text", span->offset, span->size, options);
            if ((header.flags & flag::compat_in_options) == 0) {
                strings.options = std::move(options_text);
            }
        }
    }
    return strings;
}

Image image_from(const EntryHeader& header, Strings strings, std::uint64_t position, const Reporter& report) {
    Image image;
    image.debug = (header.flags & flag::debug) != 0;
    image.source = std::move(strings.source);
    image.options = std::move(strings.options);
    if (header.marker != entry_marker) {
        report("CAG402", fmt::format("field 'marker' is {:#06x}, expected {:#06x}", header.marker, entry_marker),
               position + offsetof(EntryHeader, marker));
    }
    switch (header.kind) {
    case kind::ptx:
        image.kind = ImageKind::ptx;
        image.ptx_isa = PtxIsa{header.version_major, header.version_minor};
        image.relocatable = compile_only(image.options);
        break;
    case kind::cubin:
        image.kind = ImageKind::sass;
        break;
    case kind::ltoir:
        image.kind = ImageKind::ltoir;
        image.relocatable = true;
        break;
    default:
        image.label = kind_label(header.kind);
        report("CAG405", fmt::format("{} is not known: neither PTX, cubin, LTO-IR nor concat group; skipped", image.label),
               position + offsetof(EntryHeader, kind));
        image.arch = arch_from_number(header.sm);
        return image;
    }
    image.arch = arch_of(header, position, report);
    return image;
}

Compression codec_of(const EntryHeader& header, std::uint64_t position, const Reporter& report) {
    const std::uint64_t codec = header.flags & (flag::older_compression | flag::lz4 | flag::zstd);
    if (codec == 0 && header.compressed_size == 0) {
        return Compression::none;
    }
    if (codec == flag::lz4) {
        return Compression::lz4;
    }
    if (codec == flag::zstd) {
        return Compression::zstd;
    }
    report("CAG405",
           fmt::format("flags {:#x} with {} compressed bytes name no known codec; known are LZ4 ({:#x}) and zstd ({:#x})", header.flags,
                       header.compressed_size, flag::lz4, flag::zstd),
           position + offsetof(EntryHeader, flags));
    return Compression::unknown;
}

std::optional<Problem> broken_extent(const EntryHeader& header, std::uint64_t room, std::uint64_t position) {
    const auto broken = [&](const char* code, const char* field, std::uint64_t value, const std::string& expected, std::size_t at) {
        return Problem{code, fmt::format("field '{}' is {:#x}, expected {}", field, value, expected), position + at};
    };
    if (header.header_size < sizeof(EntryHeader) || header.header_size % 8 != 0) {
        return broken("CAG402", "header size", header.header_size, "a multiple of 8, 64 or more", offsetof(EntryHeader, header_size));
    }
    if (header.header_size > room) {
        return broken("CAG401", "header size", header.header_size, fmt::format("at most the {} bytes left", room),
                      offsetof(EntryHeader, header_size));
    }
    if (header.padded_size % 8 != 0) {
        return broken("CAG402", "padded size", header.padded_size, "a multiple of 8", offsetof(EntryHeader, padded_size));
    }
    if (header.padded_size > room - header.header_size) {
        return broken("CAG401", "padded size", header.padded_size, fmt::format("at most the {} bytes left", room - header.header_size),
                      offsetof(EntryHeader, padded_size));
    }
    return std::nullopt;
}

void read_entry(Window& window, std::uint64_t offset, const EntryHeader& header, const Limits& limits, Container& container,
                const Reporter& report) {
    const std::uint64_t position = window.view().position(offset);
    Payload payload;
    payload.offset = position + header.header_size;
    payload.compression = codec_of(header, position, report);
    payload.size = header.compressed_size != 0 ? header.compressed_size : header.padded_size;
    if (payload.size > header.padded_size) {
        report("CAG402",
               fmt::format("field 'compressed size' is {}, expected at most the stored {} bytes", payload.size, header.padded_size),
               position + offsetof(EntryHeader, compressed_size));
        payload.size = header.padded_size;
    }
    payload.expanded_size = payload.compression == Compression::none ? payload.size : header.expanded_size;
    payload.first_image = container.images.size();

    const std::uint64_t rest = header.padded_size - payload.size;
    container.header_bytes += header.header_size;
    (rest < 8 ? container.padding_bytes : container.unexplained_bytes) += rest;

    if (header.kind == kind::concat_group) {
        read_concat_members(window, offset, header, payload, limits, container, report);
    } else {
        Image image = image_from(header, read_strings(window, offset, header, header.header_size, report), position, report);
        image.offset = payload.offset;
        image.size = payload.size;
        image.expanded_size = payload.expanded_size;
        image.compression = payload.compression;
        if (image.compression == Compression::unknown && image.label.empty()) {
            image.label = fmt::format("codec flags {:#x}", header.flags);
        }
        container.images.push_back(std::move(image));
    }
    payload.image_count = container.images.size() - payload.first_image;
    const auto readable = [](const Image& image) { return image.kind == ImageKind::sass || image.kind == ImageKind::ptx; };
    const auto first = container.images.begin() + static_cast<std::ptrdiff_t>(payload.first_image);
    if (payload.compression != Compression::unknown && std::any_of(first, container.images.end(), readable)) {
        container.payloads.push_back(payload);
    }
}

} // namespace cag::fatbin
