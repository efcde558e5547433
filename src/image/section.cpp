// A section of containers: one behind the other, as the linker placed the translation units.
#include "image/container.hpp"
#include "image/layout.hpp"

#include <fmt/format.h>

namespace cag {

using namespace fatbin;

namespace {

// Steps over zero bytes: linkers pad, and clang ends the section with a NUL. By whole words, since a damaged magic may begin with zeros and
// what lies behind it is found in steps of words.
Result<void> skip_zeros(Window& window) {
    constexpr std::uint64_t word = 4;
    while (!window.view().empty()) {
        const std::uint64_t size = std::min<std::uint64_t>(window.view().size(), 64);
        const auto bytes = window.get(0, size, "padding between containers");
        if (!bytes) {
            return tl::unexpected(bytes.error());
        }
        const auto found = std::ranges::find_if(*bytes, [](std::byte byte) { return byte != std::byte{0}; });
        if (found != bytes->end()) {
            window.advance(static_cast<std::uint64_t>(found - bytes->begin()) / word * word);
            return {};
        }
        window.advance(size);
    }
    return {};
}

} // namespace

std::optional<std::uint64_t> find_container(const ByteView& view, std::uint64_t from) {
    constexpr std::uint64_t step = 4;
    constexpr std::uint64_t largest_chunk = 256 * 1024;
    std::uint64_t chunk = 1024; // the next container is often close, and then little is read
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
        chunk = std::min(chunk * 2, largest_chunk);
    }
    return std::nullopt;
}

std::vector<Container> read_containers(const ByteView& section, ScanDepth depth, const Limits& limits, std::vector<Problem>& problems) {
    std::vector<Container> containers;
    Window window(section);
    RepairBudget budget(section);
    std::size_t entries = 0; // problems count too: each takes memory
    while (true) {
        if (auto skipped = skip_zeros(window); !skipped) {
            problems.push_back(skipped.error());
            break;
        }
        if (window.view().empty()) {
            break;
        }
        const std::uint64_t position = window.view().position();
        if (entries > limits.max_images) {
            problems.push_back(
                {"CAG404",
                 fmt::format("more than {} containers and images in one file; the rest is not read (--max-images)", limits.max_images),
                 position});
            break;
        }
        if (auto container = read_headers(window, limits, budget)) {
            window.advance(container->size);
            entries += 1 + container->images.size() + container->problems.size();
            containers.push_back(std::move(*container));
            continue;
        }
        const std::uint64_t skipped = find_container(window.view(), 0).value_or(window.view().size());
        if (!containers.empty() && !containers.back().problems.empty()) {
            containers.back().size += skipped; // what is left of a damaged container whose end is not known
            containers.back().unexplained_bytes += skipped;
        } else {
            problems.push_back(
                {"CAG402", fmt::format("{} bytes are no container: expected the magic {:#x}", skipped, container_magic), position});
        }
        window.advance(skipped);
        ++entries;
    }
    if (depth == ScanDepth::payload) {
        for (Container& container : containers) {
            read_payloads(container, section, limits);
        }
    }
    return containers;
}

} // namespace cag
