// A container: a header of 16 bytes, then entries in a chain. Look at one with `xxd -s <offset> -l 96 file`: the magic reads 50 ed 55 ba.
#include "image/container.hpp"

#include "image/entry.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace cag {

using namespace fatbin;

namespace {

constexpr std::uint64_t header_size = sizeof(ContainerHeader);

// True where a container can end at `end`: nothing follows, or another container, or zero padding.
bool is_plausible_end(Window& window, std::uint64_t end) {
    if (end > window.view().size()) {
        return false;
    }
    const std::uint64_t rest = std::min<std::uint64_t>(window.view().size() - end, 8);
    const auto next = window.get(end, rest, "end of a container");
    if (!next) {
        return false;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, next->data(), rest);
    return value == 0 || static_cast<std::uint32_t>(value) == container_magic;
}

bool adds_up(const EntryHeader& header, std::uint64_t room) {
    return header.marker == entry_marker && header.kind != 0 && !broken_extent(header, room, 0);
}

// Where the chain of entries from `from` leads, up to the first that does not add up.
std::uint64_t follow_chain(Window& window, std::uint64_t from, std::uint64_t end, RepairBudget& budget) {
    for (; end - from >= sizeof(EntryHeader) && budget.headers > 0; --budget.headers) {
        const auto header = window.read<EntryHeader>(from, "entry header");
        if (!header || !adds_up(*header, end - from)) {
            break;
        }
        from += header->header_size + header->padded_size;
    }
    return from;
}

// Behind an entry that cannot be stepped over: the next entry whose chain leads exactly to the container's end; `end` where there is none.
std::uint64_t next_entry(Window& window, std::uint64_t from, std::uint64_t end, RepairBudget& budget) {
    constexpr std::uint64_t step = 8; // sizes of headers and payloads are multiples of it
    constexpr std::uint64_t chunk = 64 * 1024;
    Window ahead(window.view());
    while (from < end && end - from >= sizeof(EntryHeader)) {
        const std::uint64_t size = std::min(chunk, (end - from) / step * step);
        const auto bytes = ahead.get(from, size, "rest of a damaged container");
        if (!bytes) {
            return end;
        }
        for (std::uint64_t at = 0; at < size; at += step) {
            std::uint32_t start = 0;
            std::memcpy(&start, bytes->data() + at, sizeof(start));
            if (start >> 16 == entry_marker && follow_chain(window, from + at, end, budget) == end) {
                return from + at;
            }
        }
        from += size;
    }
    return end;
}

// Reads one container's headers; the window's view starts with the magic and may reach behind the container.
class HeaderReader {
  public:
    HeaderReader(Window& window, const ContainerHeader& header, const Limits& limits, RepairBudget& budget)
        : window_(window), header_(header), limits_(limits), budget_(budget), room_(window.view().size() - header_size),
          end_(header_size + std::min(header.size, room_)) {}

    Container read() {
        container_.offset = position(0);
        container_.header_bytes = header_size;
        check_fixed_fields();
        read_entries();
        container_.size = end_;
        return std::move(container_);
    }

  private:
    [[nodiscard]] std::uint64_t position(std::uint64_t offset) const { return window_.view().position(offset); }

    void report_header(const char* code, const std::string& what, std::size_t field) {
        Reporter(fmt::format("container at {:#x}", position(0)), container_.problems)(code, what, position(field));
    }

    void check_fixed_fields() {
        if (header_.version != 1) {
            report_header("CAG402", fmt::format("field 'version' is {}, expected 1", header_.version), offsetof(ContainerHeader, version));
        }
        if (header_.header_size != header_size) {
            report_header("CAG402", fmt::format("field 'header size' is {}, expected {}", header_.header_size, header_size),
                          offsetof(ContainerHeader, header_size));
        }
        if (header_.size > room_) {
            settle_end(header_size);
        }
    }

    void read_entries() {
        std::uint64_t offset = header_size;
        for (std::size_t index = 0; offset < end_ || !end_is_settled_; ++index) {
            if (offset == end_) {
                settle_end(offset);
                continue;
            }
            const Reporter report(fmt::format("container at {:#x}, entry {}", position(0), index), container_.problems);
            if (container_.images.size() >= limits_.max_images) {
                report("CAG404", fmt::format("more than {} images; the rest is not read (--max-images)", limits_.max_images),
                       position(offset));
                container_.unexplained_bytes += end_ - offset;
                return;
            }
            auto entry = entry_at(offset);
            if (!entry && !end_is_settled_) {
                settle_end(offset);
                entry = offset < end_ ? entry_at(offset) : entry;
            }
            if (entry) {
                read_entry(window_, offset, *entry, limits_, container_, report);
                offset += entry->header_size + entry->padded_size;
            } else if (offset < end_) {
                report(entry.error().code.c_str(), entry.error().message, entry.error().offset.value_or(position(offset)));
                offset = resume_behind(offset);
            }
        }
    }

    Result<EntryHeader> entry_at(std::uint64_t offset) {
        const std::uint64_t room = end_ - offset;
        if (room < sizeof(EntryHeader)) {
            return failure("CAG401", fmt::format("only {} bytes are left for its header of {} bytes", room, sizeof(EntryHeader)));
        }
        auto header = window_.read<EntryHeader>(offset, "entry header");
        if (header) {
            if (auto problem = broken_extent(*header, room, position(offset))) {
                return tl::unexpected(std::move(*problem));
            }
        }
        return header;
    }

    // Decides where the container ends, once the entries up to `offset` are read. The declared end holds where another container, padding
    // or nothing follows, or where the entries lead to it. Else the header's size is what is wrong, and the entries tell the end.
    void settle_end(std::uint64_t offset) {
        end_is_settled_ = true;
        const bool inside = header_.size <= room_;
        if (inside && is_plausible_end(window_, end_)) {
            return;
        }
        const std::uint64_t chain_end = follow_chain(window_, offset, window_.view().size(), budget_);
        if (inside && chain_end == end_) {
            return; // other data follows
        }
        if (is_plausible_end(window_, chain_end)) {
            report_header("CAG402",
                          fmt::format("field 'size' is {}, expected {}: there its entries end", header_.size, chain_end - header_size),
                          offsetof(ContainerHeader, size));
            end_ = chain_end;
            return;
        }
        end_is_known_ = false;
        if (!inside) {
            report_header("CAG401", fmt::format("field 'size' is {}, expected at most the {} bytes left: cut short", header_.size, room_),
                          offsetof(ContainerHeader, size));
        }
    }

    // Where reading goes on behind a broken entry. Where the end is not known either, the container ends here, and the caller looks for the
    // next one.
    std::uint64_t resume_behind(std::uint64_t offset) {
        if (!end_is_known_) {
            end_ = offset;
            return offset;
        }
        const std::uint64_t resumed = next_entry(window_, offset + 8, end_, budget_);
        container_.unexplained_bytes += resumed - offset;
        return resumed;
    }

    Window& window_;
    ContainerHeader header_;
    const Limits& limits_;
    RepairBudget& budget_;
    std::uint64_t room_; // bytes behind the header
    std::uint64_t end_;  // of the container, from its start
    bool end_is_settled_ = false;
    bool end_is_known_ = true;
    Container container_;
};

} // namespace

void read_payloads(Container& container, const ByteView& file, const Limits& limits) {
    for (const Payload& payload : container.payloads) {
        read_payload(container.images, payload, file, limits, container.problems);
    }
}

bool has_container_magic(const ByteView& view) { return view.read<std::uint32_t>(0, "container magic").value_or(0) == container_magic; }

bool is_container(const ByteView& view) {
    Window window(view);
    const auto header = window.read<ContainerHeader>(0, "container header");
    if (!header || header->magic != container_magic || header->version != 1 || header->header_size != header_size ||
        header->size > view.size() - header_size) {
        return false;
    }
    if (header->size == 0) {
        return true; // a device link without SASS writes one
    }
    const auto entry = window.read<EntryHeader>(header_size, "entry header");
    return entry && adds_up(*entry, header->size);
}

Result<Container> read_headers(Window& window, const Limits& limits, RepairBudget& budget) {
    const auto header = window.read<ContainerHeader>(0, "container header");
    if (!header) {
        return tl::unexpected(header.error());
    }
    if (header->magic != container_magic) {
        return failure("CAG402", fmt::format("no container: field 'magic' is {:#010x}, expected {:#010x}", header->magic, container_magic),
                       window.view().position());
    }
    return HeaderReader(window, *header, limits, budget).read();
}

Result<Container> read_container(const ByteView& view, ScanDepth depth, const Limits& limits) {
    Window window(view);
    RepairBudget budget(view);
    auto container = read_headers(window, limits, budget);
    if (container && depth == ScanDepth::payload) {
        read_payloads(*container, view, limits);
    }
    return container;
}

} // namespace cag
