#include "input/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cag {

namespace {

constexpr std::uint32_t end_magic = 0x06054b50;
constexpr std::uint32_t end64_magic = 0x06064b50;
constexpr std::uint32_t locator64_magic = 0x07064b50;
constexpr std::uint32_t central_magic = 0x02014b50;
constexpr std::uint32_t local_magic = 0x04034b50;

#pragma pack(push, 1)
struct End {
    std::uint32_t magic;
    std::uint16_t disk, directory_disk, entries_here, entries;
    std::uint32_t directory_size, directory_offset;
    std::uint16_t comment_size;
};
struct Locator64 {
    std::uint32_t magic, disk;
    std::uint64_t end_offset;
    std::uint32_t disks;
};
struct End64 {
    std::uint32_t magic;
    std::uint64_t record_size;
    std::uint16_t made_by, needed;
    std::uint32_t disk, directory_disk;
    std::uint64_t entries_here, entries, directory_size, directory_offset;
};
struct Central {
    std::uint32_t magic;
    std::uint16_t made_by, needed, flags, method, time, date;
    std::uint32_t crc, stored_size, size;
    std::uint16_t name_size, extra_size, comment_size, disk, internal;
    std::uint32_t external, header;
};
struct Local {
    std::uint32_t magic;
    std::uint16_t needed, flags, method, time, date;
    std::uint32_t crc, stored_size, size;
    std::uint16_t name_size, extra_size;
};
#pragma pack(pop)
static_assert(sizeof(End) == 22 && sizeof(Locator64) == 20 && sizeof(End64) == 56 && sizeof(Central) == 46 && sizeof(Local) == 30);

struct Directory {
    std::uint64_t offset = 0; // in the view
    std::uint64_t size = 0;
    std::uint64_t entries = 0;
    std::uint64_t shift = 0; // bytes in front of the archive, which its offsets do not count
};

// The end record stands at the end, behind it only a comment of up to 65,535 bytes.
Result<std::uint64_t> find_end(const ByteView& view) {
    const std::uint64_t reach = std::min<std::uint64_t>(view.size(), sizeof(End) + 0xffff);
    const std::uint64_t begin = view.size() - reach;
    const auto tail = view.from(begin).bytes(reach, "end of the zip archive");
    if (!tail) {
        return tl::unexpected(tail.error());
    }
    for (std::uint64_t at = reach < sizeof(End) ? 0 : reach - sizeof(End) + 1; at-- > 0;) {
        End end;
        std::memcpy(&end, tail->data() + at, sizeof end);
        if (end.magic == end_magic && at + sizeof end + end.comment_size <= reach) {
            return begin + at;
        }
    }
    return failure("CAG401", "the zip archive has no directory at its end: it is cut short, and its members are not read", view.size());
}

Result<Directory> find_directory(const ByteView& view) {
    const auto at = find_end(view);
    if (!at) {
        return tl::unexpected(at.error());
    }
    const auto end = view.read<End>(*at, "end record");
    if (!end) {
        return tl::unexpected(end.error());
    }
    Directory directory{end->directory_offset, end->directory_size, end->entries, 0};
    std::uint64_t directory_end = *at;
    const bool is64 = end->entries == 0xffff || end->directory_size == 0xffffffff || end->directory_offset == 0xffffffff;
    if (is64 && *at >= sizeof(Locator64)) {
        const auto locator = view.read<Locator64>(*at - sizeof(Locator64), "zip64 locator");
        if (locator && locator->magic == locator64_magic) {
            // The record lies right before the locator; its own offset does not count bytes in front of the archive.
            std::uint64_t record = locator->end_offset;
            auto end64 = view.read<End64>(record, "zip64 end record");
            if ((!end64 || end64->magic != end64_magic) && *at >= sizeof(Locator64) + sizeof(End64)) {
                record = *at - sizeof(Locator64) - sizeof(End64);
                end64 = view.read<End64>(record, "zip64 end record");
            }
            if (!end64 || end64->magic != end64_magic) {
                return failure("CAG402", "the zip64 end record is not where its locator says", *at - sizeof(Locator64));
            }
            directory = {end64->directory_offset, end64->directory_size, end64->entries, 0};
            directory_end = record;
        }
    }
    if (directory.size > directory_end || directory.offset > directory_end - directory.size) {
        return failure(
            "CAG401",
            fmt::format("the zip directory of {} bytes at offset {} does not fit in front of its end record at {}: bytes are missing",
                        directory.size, directory.offset, directory_end),
            *at);
    }
    directory.shift = directory_end - directory.size - directory.offset;
    directory.offset += directory.shift;
    return directory;
}

// Sizes and offset that do not fit 32 bits stand in the extra field 1, in this order, each only where its 32 bits are all ones.
void read_zip64(std::span<const std::byte> extra, const Central& header, ZipMember& member) {
    while (extra.size() >= 4) {
        std::uint16_t kind = 0;
        std::uint16_t size = 0;
        std::memcpy(&kind, extra.data(), 2);
        std::memcpy(&size, extra.data() + 2, 2);
        auto field = extra.subspan(4, std::min<std::size_t>(size, extra.size() - 4));
        extra = extra.subspan(4 + field.size());
        if (kind != 1) {
            continue;
        }
        const auto take = [&](std::uint32_t narrow, std::uint64_t& wide) {
            if (narrow == 0xffffffff && field.size() >= 8) {
                std::memcpy(&wide, field.data(), 8);
                field = field.subspan(8);
            }
        };
        take(header.size, member.size);
        take(header.stored_size, member.stored_size);
        take(header.header, member.header);
        return;
    }
}

// Members of an honest archive lie one behind the other.
void mark_overlaps(ZipDirectory& directory, std::uint64_t directory_offset) {
    std::vector<std::size_t> order(directory.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return directory.members[i].header; });
    std::uint64_t covered = 0;
    std::size_t owner = 0;
    std::size_t count = 0;
    for (const std::size_t i : order) {
        ZipMember& member = directory.members[i];
        const std::uint64_t end = member.header + sizeof(Local) + member.name.size() + member.stored_size;
        if (member.header < covered) {
            member.overlaps = directory.members[owner].overlaps = true;
            ++count;
        }
        if (end > covered) {
            covered = end;
            owner = i;
        }
    }
    if (count != 0) {
        directory.problems.push_back(
            {"CAG404",
             fmt::format("{} members share their bytes with another one, as in archives made to exhaust the reader; they are not read",
                         count),
             {}});
    }
    if (covered > directory_offset && !directory.members.empty()) {
        directory.problems.push_back({"CAG401",
                                      fmt::format("member {} reaches to offset {}, into the directory at {}", directory.members[owner].name,
                                                  covered, directory_offset),
                                      directory.members[owner].header});
    }
}

} // namespace

ZipDirectory read_zip_directory(const ByteView& view, const Limits& limits) {
    ZipDirectory result;
    const auto place = find_directory(view);
    if (!place) {
        result.problems.push_back(place.error());
        return result;
    }
    const auto bytes = view.sub(place->offset, place->size, "zip directory").and_then([&](ByteView part) {
        return part.bytes(limits.max_table, "zip directory");
    });
    if (!bytes) {
        result.problems.push_back(bytes.error());
        return result;
    }
    std::span<const std::byte> rest(*bytes);
    while (rest.size() >= sizeof(Central) && result.members.size() < limits.max_entries) {
        Central header;
        std::memcpy(&header, rest.data(), sizeof header);
        const std::size_t size = sizeof header + header.name_size + header.extra_size + header.comment_size;
        if (header.magic != central_magic || size > rest.size()) {
            break;
        }
        ZipMember member;
        member.name.assign(reinterpret_cast<const char*>(rest.data() + sizeof header), header.name_size);
        member.method = header.method;
        member.encrypted = (header.flags & 1U) != 0;
        member.crc = header.crc;
        member.stored_size = header.stored_size;
        member.size = header.size;
        member.header = header.header;
        read_zip64(rest.subspan(sizeof header + header.name_size, header.extra_size), header, member);
        member.header += place->shift;
        result.members.push_back(std::move(member));
        rest = rest.subspan(size);
    }
    if (result.members.size() >= limits.max_entries && !rest.empty()) {
        result.problems.push_back(
            {"CAG404", fmt::format("more than {} members; the rest is not read (--max-entries)", limits.max_entries), {}});
    } else if (!rest.empty() || result.members.size() != (place->entries & 0xffffffff)) {
        // The count of the short end record is kept modulo 65,536 by some writers; what is listed counts, but a difference is no accident.
        if (!rest.empty() || (result.members.size() & 0xffff) != (place->entries & 0xffff)) {
            result.problems.push_back(
                {"CAG402",
                 fmt::format("the zip directory lists {} members and its end record says {}: it is damaged, and members "
                             "may be missing",
                             result.members.size(), place->entries),
                 view.position(place->offset)});
        }
    }
    if (place->shift != 0 && view.read<std::uint32_t>(0, "first bytes").value_or(0) == local_magic) {
        result.problems.push_back(
            {"CAG402",
             fmt::format("members of {} bytes stand in front of what the zip directory is about: another end record hides "
                         "them, and other programs may read them",
                         place->shift),
             0});
    }
    mark_overlaps(result, place->offset);
    return result;
}

Result<ByteView> stored_bytes(const ByteView& view, const ZipMember& member) {
    const auto local = view.read<Local>(member.header, "local header of the member");
    if (!local) {
        return tl::unexpected(local.error());
    }
    if (local->magic != local_magic) {
        return failure("CAG402", fmt::format("expected a local header (50 4b 03 04) for the member, found {:08x}", local->magic),
                       member.header);
    }
    const auto name = view.sub(member.header + sizeof(Local), local->name_size, "name in the local header").and_then([](ByteView part) {
        return part.bytes(0xffff, "name in the local header");
    });
    if (!name) {
        return tl::unexpected(name.error());
    }
    if (std::string_view(reinterpret_cast<const char*>(name->data()), name->size()) != member.name) {
        return failure("CAG402", "the local header gives the member another name than the directory does", member.header);
    }
    return view.sub(member.header + sizeof(Local) + local->name_size + local->extra_size, member.stored_size, "bytes of the member");
}

} // namespace cag
