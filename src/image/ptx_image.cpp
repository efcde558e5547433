// PTX as an image: where its text ends, and what of it becomes an Image.
#include "image/payload.hpp"
#include "image/ptx.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

namespace {

constexpr std::uint64_t chunk = 64 * 1024;
constexpr std::uint64_t header_probe = 4096; // comments, .version and .target

std::string_view as_text(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.substr(0, text.find('\0'));
}

// Bytes up to the first NUL or the view's end.
Result<std::uint64_t> text_size(const ByteView& view) {
    Bytes buffer;
    for (std::uint64_t at = 0; at < view.size(); at += buffer.size()) {
        buffer.resize(std::min(chunk, view.size() - at));
        if (auto done = view.read_into(at, buffer, "PTX text"); !done) {
            return tl::unexpected(done.error());
        }
        const auto end = std::ranges::find(buffer, std::byte{0});
        if (end != buffer.end()) {
            return at + static_cast<std::uint64_t>(end - buffer.begin());
        }
    }
    return view.size();
}

// Offsets in text are turned into positions in the source.
Problem placed(Problem problem, const ByteView& view) {
    problem.offset = view.position(problem.offset.value_or(0));
    return problem;
}

Result<Bytes> header_bytes(const ByteView& view) {
    return view.sub(0, std::min(header_probe, view.size()), "start of PTX text").and_then([](const ByteView& start) {
        return start.bytes(header_probe, "start of PTX text");
    });
}

void set_contents(Image& image, ptx::Contents contents) {
    image.empty = contents.kernels.empty() && contents.functions.empty() && !contents.has_variables;
    image.kernels = std::move(contents.kernels);
    image.functions = std::move(contents.functions);
    image.undefined = std::move(contents.undefined);
    image.payload_read = true;
}

} // namespace

Result<Arch> read_ptx_into(Image& image, const ByteView& view, const Limits& limits) {
    Bytes copy; // only of text that is not in memory yet
    std::span<const std::byte> bytes = view.in_memory();
    if (bytes.empty()) {
        auto read = view.bytes(limits.max_expanded_image, "PTX text");
        if (!read) {
            return tl::unexpected(read.error());
        }
        copy = *std::move(read);
        bytes = copy;
    }
    const std::string_view text = as_text(bytes);
    const auto header = ptx::read_header(text);
    if (!header) {
        return tl::unexpected(placed(header.error(), view));
    }
    if (const auto foreign = ptx::foreign_character(text)) {
        return failure("CAG402", fmt::format("byte {:#04x} is no character of PTX", static_cast<unsigned char>(text[*foreign])),
                       view.position(*foreign));
    }
    auto contents = ptx::read_contents(text, limits);
    if (!contents) {
        return tl::unexpected(placed(contents.error(), view));
    }
    image.ptx_isa = header->isa;
    if (image.toolkit.empty()) {
        image.toolkit = header->toolkit;
    }
    set_contents(image, *std::move(contents));
    return header->target;
}

bool is_ptx(const ByteView& view) {
    const auto start = header_bytes(view);
    return start && ptx::read_header(as_text(*start));
}

Result<Image> read_ptx(const ByteView& view, ScanDepth depth, const Limits& limits) {
    const auto start = header_bytes(view);
    if (!start) {
        return tl::unexpected(start.error());
    }
    const auto header = ptx::read_header(as_text(*start));
    if (!header) {
        return tl::unexpected(placed(header.error(), view));
    }
    const auto size = text_size(view);
    if (!size) {
        return tl::unexpected(size.error());
    }
    Image image;
    image.kind = ImageKind::ptx;
    image.arch = header->target;
    image.ptx_isa = header->isa;
    image.debug = header->debug;
    image.toolkit = header->toolkit;
    image.offset = view.position();
    image.size = *size;
    image.expanded_size = *size;
    if (depth == ScanDepth::payload) {
        const auto text = view.sub(0, *size, "PTX text");
        const auto read = text.and_then([&](const ByteView& whole) { return read_ptx_into(image, whole, limits); });
        if (!read) {
            return tl::unexpected(read.error());
        }
    }
    return image;
}

} // namespace cag
