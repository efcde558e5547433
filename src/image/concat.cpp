#include "image/concat.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace cag::fatbin {

namespace {

// Behind the group's entry header, then `count` records that look like entry headers with their strings. A record carries no length of its
// own: the next one lies behind its last string, and that the members follow each other in the expanded bytes proves the walk right.
struct GroupTable {
    std::uint32_t count;
    std::uint32_t size; // of this table, these two fields included
};

std::uint64_t record_size(const Strings& strings) {
    const bool has_strings = strings.end > sizeof(EntryHeader);
    return has_strings ? (strings.end + 1 + 7) / 8 * 8 : sizeof(EntryHeader); // the last one's NUL, then alignment
}

// The members are compressed together; each counts for its share, and the shares add up to the whole.
std::uint64_t stored_up_to(const Payload& payload, std::uint64_t expanded) {
    const double share = static_cast<double>(expanded) / static_cast<double>(payload.expanded_size);
    return expanded >= payload.expanded_size ? payload.size : static_cast<std::uint64_t>(static_cast<double>(payload.size) * share);
}

} // namespace

void read_concat_members(Window& window, std::uint64_t offset, const EntryHeader& group, const Payload& payload, const Limits& limits,
                         Container& container, const Reporter& report) {
    const std::uint64_t table_at = offset + sizeof(EntryHeader);
    const auto position = [&](std::uint64_t at) { return window.view().position(at); };
    const auto give_up = [&](const char* code, const std::string& what, std::uint64_t at) {
        report(code, "concat group: " + what, position(at));
        std::uint64_t listed = 0;
        for (std::size_t i = payload.first_image; i < container.images.size(); ++i) {
            listed += container.images[i].size;
        }
        container.unexplained_bytes += payload.size - listed;
    };

    const auto table = window.read<GroupTable>(table_at, "table of a concat group");
    const std::uint64_t room = group.header_size - sizeof(EntryHeader);
    if (!table || table->size > room || table->size < sizeof(GroupTable)) {
        return give_up("CAG402", fmt::format("its table does not fit into the entry's header of {} bytes", group.header_size), table_at);
    }
    std::uint64_t record = table_at + sizeof(GroupTable);
    std::uint64_t expanded = 0;
    for (std::uint32_t member = 0; member < table->count; ++member) {
        if (container.images.size() >= limits.max_images) {
            return give_up("CAG404", fmt::format("more than {} images in one container", limits.max_images), record);
        }
        const std::uint64_t used = record - table_at;
        if (table->size < used || table->size - used < sizeof(EntryHeader)) {
            return give_up("CAG401", fmt::format("member {} of {} lies behind the table's end", member, table->count), record);
        }
        const auto header = window.read<EntryHeader>(record, "member of a concat group");
        if (!header) {
            return give_up("CAG401", header.error().message, record);
        }
        if (header->header_size != expanded || header->padded_size > payload.expanded_size - expanded) {
            return give_up(
                "CAG402",
                fmt::format(
                    "member {} takes {} bytes at {:#x} of the expanded bytes, expected to start at {:#x} and to end at {:#x} or before",
                    member, header->padded_size, header->header_size, expanded, payload.expanded_size),
                record + offsetof(EntryHeader, header_size));
        }
        if (header->kind == kind::concat_group) {
            return give_up("CAG402", fmt::format("member {} is a group itself", member), record);
        }
        Strings strings = read_strings(window, record, *header, table->size - used, report);
        const std::uint64_t next = record + record_size(strings);
        Image image = image_from(*header, std::move(strings), position(record), report);
        image.in_concat_group = true;
        image.compression = payload.compression;
        image.offset = payload.offset;
        image.size = stored_up_to(payload, expanded + header->padded_size) - stored_up_to(payload, expanded);
        image.expanded_size = header->padded_size;
        container.images.push_back(std::move(image));
        expanded += header->padded_size;
        record = next;
    }
    if (expanded != payload.expanded_size || expanded == 0) {
        give_up("CAG402",
                fmt::format("its {} members have {} bytes together, expected {} and more than none", table->count, expanded,
                            payload.expanded_size),
                table_at);
    }
}

} // namespace cag::fatbin
