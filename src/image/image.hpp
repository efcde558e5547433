// Fatbin containers, cubins and PTX: bytes in, images out. Nothing here knows of files; FATBIN notes are in docs/format.md.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <cudaarchguard/coverage.hpp>

#include <string_view>
#include <vector>

namespace cag {

// One container: its place in the view it was found in, and its images in the order of their headers. Offsets are ByteView::position()s.
struct Container {
    std::uint64_t offset = 0; // position of the header
    std::uint64_t size = 0;   // header included
    std::vector<Image> images;
    std::vector<Problem> problems; // what is damaged in here; the rest was read
};

enum class ScanDepth {
    headers, // architectures, kinds, ISA, flags: header reads only
    payload, // also what only the payload tells: relocatable, toolkit, kernels
};

// True where `view` starts with a container header whose version, size and first entry add up (magic inside payload does not).
[[nodiscard]] bool is_container(const ByteView& view);

// Reads the container at the start of `view`. A header that does not add up is a failure; anything damaged inside it is in
// Container::problems.
[[nodiscard]] Result<Container> read_container(const ByteView& view, ScanDepth depth, const Limits& limits);

// Reads the containers that lie one behind the other in a section (`.nv_fatbin`), skipping padding and re-synchronising behind damage.
// `problems` receives what belongs to no container.
[[nodiscard]] std::vector<Container> read_containers(const ByteView& section, ScanDepth depth, const Limits& limits,
                                                     std::vector<Problem>& problems);

// A bare cubin (ELF of machine 190): architecture with suffix, e_type, toolkit, debug, kernels.
[[nodiscard]] bool is_cubin(const ByteView& view);
[[nodiscard]] Result<Image> read_cubin(const ByteView& view, ScanDepth depth, const Limits& limits);

// Bare PTX text.
[[nodiscard]] bool is_ptx(const ByteView& view);
[[nodiscard]] Result<Image> read_ptx(const ByteView& view, ScanDepth depth, const Limits& limits);

} // namespace cag
