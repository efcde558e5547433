// A section of containers: one behind the other, as the linker placed the translation units.
#include "image/image.hpp"
#include "image/layout.hpp"
#include "image/window.hpp"

#include <fmt/format.h>

namespace cag {

using namespace fatbin;

namespace {

constexpr std::uint64_t chunk = 64 * 1024;

// The first offset from `from` with a byte other than 0: linkers pad, and clang ends the section with a NUL.
std::uint64_t skip_zeros(Window& window, std::uint64_t from) {
    const std::uint64_t end = window.view().size();
    while (from < end) {
        const std::uint64_t size = std::min<std::uint64_t>(end - from, 64);
        const auto bytes = window.get(from, size, "padding");
        if (!bytes) {
            return end;
        }
        const auto found = std::ranges::find_if(*bytes, [](std::byte byte) { return byte != std::byte{0}; });
        if (found != bytes->end()) {
            return from + static_cast<std::uint64_t>(found - bytes->begin());
        }
        from += size;
    }
    return end;
}

} // namespace

std::optional<std::uint64_t> find_container(const ByteView& view, std::uint64_t from) {
    constexpr std::uint64_t step = 4;
    Window window(view);
    from = (from + step - 1) / step * step;
    while (from < view.size() && view.size() - from >= sizeof(ContainerHeader)) {
        const std::uint64_t size = std::min(chunk, (view.size() - from) / step * step);
        const auto bytes = window.get(from, size, "search for a container");
        if (!bytes) {
            return std::nullopt;
        }
        for (std::uint64_t at = 0; at < size; at += step) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes->data() + at, sizeof(word));
            if (word == container_magic && is_container(view.from(from + at))) {
                return from + at;
            }
        }
        from += size;
    }
    return std::nullopt;
}

std::vector<Container> read_containers(const ByteView& section, ScanDepth depth, const Limits& limits, std::vector<Problem>& problems) {
    std::vector<Container> containers;
    Window window(section);
    std::size_t entries = 0;
    for (std::uint64_t at = skip_zeros(window, 0); at < section.size(); at = skip_zeros(window, at)) {
        if (entries > limits.max_entries) {
            problems.push_back({"CAG404",
                                fmt::format("more than {} containers and images in one section; the rest is not read", limits.max_entries),
                                section.position(at)});
            break;
        }
        if (auto container = read_container(section.from(at), depth, limits)) {
            at += container->size;
            entries += 1 + container->images.size();
            containers.push_back(std::move(*container));
            continue;
        }
        const std::uint64_t next = find_container(section, at).value_or(section.size());
        if (!containers.empty() && !containers.back().problems.empty()) {
            containers.back().size += next - at; // what is left of a damaged container whose end is not known
            containers.back().unexplained_bytes += next - at;
        } else {
            problems.push_back({"CAG402", fmt::format("{} bytes are no container: expected the magic {:#x}", next - at, container_magic),
                                section.position(at)});
        }
        at = next;
    }
    return containers;
}

} // namespace cag
