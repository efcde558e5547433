#include "image/payload.hpp"

#include "image/expand.hpp"

#include <fmt/format.h>

namespace cag {

namespace {

// "sm_90a", "compute_80"
std::string target_name(ImageKind kind, Arch arch) { return (kind == ImageKind::ptx ? "compute_" : "sm_") + to_string(arch); }

// Not every cubin records its letter, so that none is no contradiction.
bool is_another(Arch in_payload, Arch in_header) {
    return in_payload.number() != in_header.number() || (in_payload.variant != Variant::plain && in_payload.variant != in_header.variant);
}

// Completes one image from its expanded bytes. Places inside expanded bytes mean nothing in the file, so `at` stands in for them.
void read_image(Image& image, const ByteView& bytes, std::optional<std::uint64_t> at, const Limits& limits,
                std::vector<Problem>& problems) {
    const auto report = [&](const char* code, const std::string& what, std::optional<std::uint64_t> offset) {
        problems.push_back({code, fmt::format("image {}: {}", target_name(image.kind, image.arch), what), at ? at : offset});
    };
    const bool is_ptx = image.kind == ImageKind::ptx;
    const auto isa_in_header = image.ptx_isa;
    const auto named = is_ptx ? read_ptx_into(image, bytes, limits) : read_cubin_into(image, bytes, limits);
    if (!named) {
        image.defect = is_ptx ? Defect::no_ptx : is_cubin(bytes) ? Defect::other : Defect::no_cubin;
        report(named.error().code.c_str(), named.error().message, named.error().offset);
        return;
    }
    if (is_another(*named, image.arch)) {
        image.payload_arch = *named;
        report("CAG402", fmt::format("its payload is for {}, expected what the header says", target_name(image.kind, *named)),
               image.offset);
    }
    if (is_ptx && isa_in_header && image.ptx_isa != isa_in_header) {
        report("CAG402",
               fmt::format("its text is PTX {}.{}, expected {}.{} as the header says", image.ptx_isa->major, image.ptx_isa->minor,
                           isa_in_header->major, isa_in_header->minor),
               image.offset);
    }
}

// Reads through the file where a cubin is large, since its code and debug information are not needed; one read serves a small one.
constexpr std::uint64_t read_whole_below = 64 * 1024;

} // namespace

void read_payload(std::vector<Image>& images, const Payload& payload, const ByteView& file, const Limits& limits,
                  std::vector<Problem>& problems) {
    if (payload.first_image > images.size() || payload.image_count > images.size() - payload.first_image ||
        payload.offset < file.position()) {
        problems.push_back({"CAG401", "the payload does not belong to these images", payload.offset});
        return;
    }
    const std::span<Image> members(images.data() + payload.first_image, payload.image_count);
    const auto fail = [&](const Problem& problem) {
        const Image& first = members.front();
        for (Image& image : members) {
            image.defect = problem.code == "CAG403" ? Defect::does_not_expand : Defect::other;
        }
        const std::string who = first.in_concat_group ? fmt::format("concat group of {} images", members.size())
                                                      : fmt::format("image {}", target_name(first.kind, first.arch));
        problems.push_back({problem.code, fmt::format("{}: {}", who, problem.message), problem.offset});
    };
    const auto stored = file.sub(payload.offset - file.position(), payload.size, "stored payload");
    if (!stored) {
        return fail(stored.error());
    }

    Bytes small;
    Expanded expanded;
    std::span<const std::byte> in_memory;
    std::optional<std::uint64_t> at;
    if (payload.compression != Compression::none) {
        auto result = expand(payload, *stored, limits);
        if (!result) {
            return fail(result.error());
        }
        expanded = *std::move(result);
        in_memory = expanded.span();
        at = payload.offset;
    } else if (payload.size <= read_whole_below) {
        auto result = stored->bytes(read_whole_below, "stored payload");
        if (!result) {
            return fail(result.error());
        }
        small = *std::move(result);
        in_memory = small;
        at = payload.offset;
    }
    const MemorySource memory(in_memory);
    const ByteView bytes = at ? ByteView(memory) : *stored;
    std::uint64_t offset = 0;
    for (Image& image : members) {
        const auto part = bytes.sub(offset, image.expanded_size, "member of a concat group");
        if (!part) {
            return fail(part.error());
        }
        if (image.kind == ImageKind::ptx || image.kind == ImageKind::sass) {
            read_image(image, *part, at, limits, problems);
        }
        offset += image.expanded_size;
    }
}

} // namespace cag
