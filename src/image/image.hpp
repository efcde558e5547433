// Fatbin containers, cubins and PTX: bytes in, images out. Nothing here knows of files; the formats are explained in docs/format.md.
//
// Reading goes in two steps, so that listing architectures touches headers only and the costly part runs in parallel:
//   1. read_containers() walks the headers: every image with its kind, architecture, ISA and flags;
//   2. read_payload() expands one stored payload and completes its images: relocatable, toolkit, kernels. The payloads of a container write
//   to
//      different images, so any number of threads may work on them.
#pragma once

#include "support/bytes.hpp"
#include "support/limits.hpp"

#include <cudaarchguard/coverage.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cag {

// Stored bytes that step 2 can read, and whose they are: one image's, or those of all members of a concat group.
// Images that are never expanded (LTO-IR, unknown kinds and codecs) have none.
struct Payload {
    std::uint64_t offset = 0; // position of the stored bytes
    std::uint64_t size = 0;   // stored bytes
    std::uint64_t expanded_size = 0;
    Compression compression = Compression::none;
    std::size_t first_image = 0; // its images in Container::images; they lie in the expanded bytes in this order, without gaps,
    std::size_t image_count = 1; // each Image::expanded_size long
};

// One container: its place in the source, and its images in the order of their headers. Offsets are ByteView::position()s.
struct Container {
    std::uint64_t offset = 0; // position of the header
    std::uint64_t size = 0;   // header included; where the header's own size is wrong, the part that could be read
    std::vector<Image> images;
    std::vector<Payload> payloads;
    std::vector<Problem> problems; // what is damaged in here; the rest was read

    // Accounting: size = header_bytes + the images' sizes + padding_bytes + unexplained_bytes.
    std::uint64_t header_bytes = 0;      // of the container and its entries
    std::uint64_t padding_bytes = 0;     // behind compressed payloads
    std::uint64_t unexplained_bytes = 0; // belongs to no readable entry; 0 in an undamaged container
};

enum class ScanDepth {
    headers, // architectures, kinds, ISA, flags: header reads only
    payload, // also what only the payload tells: relocatable, toolkit, kernels
};

// True where `view` starts with a container header whose version, size and first entry add up (magic inside payload does not).
[[nodiscard]] bool is_container(const ByteView& view);
// The magic alone: enough where a whole file is meant to be containers, so that a damaged one is not taken for something else.
[[nodiscard]] bool has_container_magic(const ByteView& view);

// The first offset at or behind `from` where is_container() holds; looks at 4-byte steps, since containers are aligned. For sections that
// hold other data too: inside a container, go on behind its end instead.
[[nodiscard]] std::optional<std::uint64_t> find_container(const ByteView& view, std::uint64_t from);

// Reads the container at the start of `view`; what lies behind it does not matter. A view that does not start with a container is a
// failure; anything damaged inside is in Container::problems.
[[nodiscard]] Result<Container> read_container(const ByteView& view, ScanDepth depth, const Limits& limits);

// Reads the containers that lie one behind the other in a section (`.nv_fatbin`), skipping zero padding and re-synchronising behind damage.
// `problems` receives what belongs to no container.
[[nodiscard]] std::vector<Container> read_containers(const ByteView& section, ScanDepth depth, const Limits& limits,
                                                     std::vector<Problem>& problems);

// Step 2. `images` are the container's images in their order (moved to a Module or not), `file` any view of the same source that holds the
// payload. Writes the images of this payload only. A payload that cannot be read adds a problem and leaves Image::payload_read false.
void read_payload(std::vector<Image>& images, const Payload& payload, const ByteView& file, const Limits& limits,
                  std::vector<Problem>& problems);

// A bare cubin (ELF of machine 190) at the start of `view`: architecture with suffix, e_type, toolkit, debug, kernels. Image::size is the
// extent that its ELF headers give, so `view` may reach behind it. All but kernels, functions and undefined names come from the headers.
[[nodiscard]] bool is_cubin(const ByteView& view);
[[nodiscard]] Result<Image> read_cubin(const ByteView& view, ScanDepth depth, const Limits& limits);

// Bare PTX text at the start of `view`, up to the first NUL byte or the end of the view.
[[nodiscard]] bool is_ptx(const ByteView& view);
[[nodiscard]] Result<Image> read_ptx(const ByteView& view, ScanDepth depth, const Limits& limits);

// Bare LTO-IR that fills `view`. Its letter (90a) is not known, and its kernels neither.
[[nodiscard]] bool is_ltoir(const ByteView& view);
[[nodiscard]] Result<Image> read_ltoir(const ByteView& view);

} // namespace cag
