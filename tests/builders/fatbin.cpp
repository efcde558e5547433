#include "builders/fatbin.hpp"

#include "builders/writer.hpp"

#include <fmt/format.h>

#include <lz4.h>
#include <zstd.h>

namespace cag::test {

namespace {

constexpr std::size_t container_header = 16;
constexpr std::size_t entry_header = 64;

// Offsets inside an entry header or the record of a group's member.
constexpr std::size_t header_size_at = 4;
constexpr std::size_t padded_size_at = 8;
constexpr std::size_t compressed_size_at = 16;
constexpr std::size_t options_at = 20;
constexpr std::size_t name_at = 32;
constexpr std::size_t expanded_size_at = 56;

Bytes compressed(const Bytes& payload, Codec codec) {
    Bytes out;
    if (codec == Codec::lz4) {
        out.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(payload.size()))));
        const int size = LZ4_compress_default(reinterpret_cast<const char*>(payload.data()), reinterpret_cast<char*>(out.data()),
                                              static_cast<int>(payload.size()), static_cast<int>(out.size()));
        out.resize(static_cast<std::size_t>(size));
    } else {
        out.resize(ZSTD_compressBound(payload.size()));
        out.resize(ZSTD_compress(out.data(), out.size(), payload.data(), payload.size(), 3));
    }
    return out;
}

std::uint64_t codec_flag(Codec codec) { return codec == Codec::lz4 ? 0x2000U : codec == Codec::zstd ? 0x8000U : 0U; }

// The 64 fixed bytes and the strings behind them, as entries and members of groups have them.
Bytes header_with_strings(const Entry& entry) {
    Writer out;
    out.put(entry.kind);
    out.put(std::uint16_t{0x0101});
    out.put(std::uint32_t{0}); // header size
    out.put(std::uint64_t{0}); // padded size
    out.put(std::uint32_t{0}); // compressed size
    out.put(std::uint32_t{0}); // options
    out.put(entry.version_minor);
    out.put(entry.version_major);
    out.put(static_cast<std::uint32_t>(entry.sm));
    out.put(std::uint64_t{0}); // name, name size
    out.put(entry.flags | codec_flag(entry.codec));
    out.put(std::uint64_t{0}); // key
    out.put(std::uint64_t{0}); // expanded size
    if (!entry.source.empty()) {
        out.patch(name_at, static_cast<std::uint32_t>(out.text(entry.source)));
        out.patch(name_at + 4, static_cast<std::uint32_t>(entry.source.size()));
        out.put(char{});
        out.align(8);
    }
    if (!entry.options.empty()) {
        out.patch(options_at, static_cast<std::uint32_t>(out.size()));
        out.put(static_cast<std::uint32_t>(out.size() + 8));
        out.put(static_cast<std::uint32_t>(entry.options.size()));
        out.text(entry.options);
        out.put(char{});
        out.align(8);
    }
    return out.take();
}

Bytes group_table(const std::vector<Entry>& members) {
    Writer records;
    std::uint32_t offset = 0;
    for (const Entry& member : members) {
        const std::size_t at = records.append(header_with_strings(member));
        records.patch(at + header_size_at, offset);
        records.patch(at + padded_size_at, std::uint64_t{member.payload.size()});
        offset += static_cast<std::uint32_t>(member.payload.size());
    }
    Writer table;
    table.put(static_cast<std::uint32_t>(members.size()));
    table.put(static_cast<std::uint32_t>(8 + records.size()));
    table.append(records.bytes());
    return table.take();
}

Bytes build_entry(const Entry& entry) {
    Writer out;
    out.append(header_with_strings(entry));
    if (!entry.members.empty()) {
        out.patch(options_at, static_cast<std::uint32_t>(out.append(group_table(entry.members))));
    }
    out.patch(header_size_at, static_cast<std::uint32_t>(out.size()));
    const Bytes stored = entry.codec == Codec::none ? entry.payload : compressed(entry.payload, entry.codec);
    if (entry.codec != Codec::none) {
        out.patch(compressed_size_at, static_cast<std::uint32_t>(stored.size()));
        out.patch(expanded_size_at, std::uint64_t{entry.payload.size()});
    }
    const std::size_t start = out.append(stored);
    out.align(8);
    out.patch(padded_size_at, std::uint64_t{out.size() - start});
    return out.take();
}

template <class T>
T read_at(const Bytes& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// Calls back for each container and entry of intact input.
template <class OnContainer, class OnEntry>
void walk(const Bytes& bytes, OnContainer on_container, OnEntry on_entry) {
    std::size_t index = 0;
    for (std::size_t at = 0; at + container_header <= bytes.size(); ++index) {
        const std::size_t end = at + container_header + read_at<std::uint64_t>(bytes, at + 8);
        on_container(index, at, end);
        std::size_t entry = 0;
        for (std::size_t in = at + container_header; in < end; ++entry) {
            on_entry(index, entry, in);
            in += read_at<std::uint32_t>(bytes, in + header_size_at) + read_at<std::uint64_t>(bytes, in + padded_size_at);
        }
        at = end;
    }
}

void add_entry_fields(std::vector<Field>& fields, const std::string& where, std::size_t at) {
    const std::pair<const char*, std::pair<std::size_t, std::size_t>> layout[] = {
        {"kind", {0, 2}},           {"marker", {2, 2}},           {"header size", {4, 4}},
        {"padded size", {8, 8}},    {"compressed size", {16, 4}}, {"options offset", {20, 4}},
        {"version minor", {24, 2}}, {"version major", {26, 2}},   {"architecture", {28, 4}},
        {"name offset", {32, 4}},   {"name size", {36, 4}},       {"flags", {40, 8}},
        {"key", {48, 8}},           {"expanded size", {56, 8}},
    };
    for (const auto& [name, place] : layout) {
        fields.push_back({where + ": " + name, at + place.first, place.second});
    }
}

} // namespace

Entry cubin_entry(unsigned sm, Bytes cubin, Codec codec) {
    Entry entry;
    entry.sm = sm;
    entry.codec = codec;
    entry.payload = std::move(cubin);
    return entry;
}

Entry ptx_entry(unsigned sm, const std::string& text, Codec codec, std::uint16_t isa_major, std::uint16_t isa_minor) {
    Entry entry;
    entry.kind = 1;
    entry.sm = sm;
    entry.codec = codec;
    entry.version_major = isa_major;
    entry.version_minor = isa_minor;
    entry.payload = bytes_of(text);
    entry.payload.push_back(std::byte{0});
    return entry;
}

Entry concat_group(std::vector<Entry> members, Codec codec) {
    Entry group;
    group.kind = 0x100;
    group.sm = 0;
    group.version_minor = 0;
    group.codec = codec;
    for (const Entry& member : members) {
        group.payload.insert(group.payload.end(), member.payload.begin(), member.payload.end());
    }
    group.members = std::move(members);
    return group;
}

Bytes build_container(const std::vector<Entry>& entries) {
    Writer out;
    out.put(std::uint32_t{0xBA55ED50});
    out.put(std::uint16_t{1});
    out.put(std::uint16_t{container_header});
    const std::size_t size_at = out.put(std::uint64_t{0});
    for (const Entry& entry : entries) {
        out.append(build_entry(entry));
    }
    out.patch(size_at, std::uint64_t{out.size() - container_header});
    return out.take();
}

std::vector<Field> fields_of_containers(const Bytes& containers) {
    std::vector<Field> fields;
    walk(
        containers,
        [&](std::size_t index, std::size_t at, std::size_t) {
            const std::string where = fmt::format("container {}", index);
            fields.push_back({where + ": magic", at, 4});
            fields.push_back({where + ": version", at + 4, 2});
            fields.push_back({where + ": header size", at + 6, 2});
            fields.push_back({where + ": size", at + 8, 8});
        },
        [&](std::size_t index, std::size_t entry, std::size_t at) {
            const std::string where = fmt::format("container {}, entry {}", index, entry);
            add_entry_fields(fields, where, at);
            const auto header_size = read_at<std::uint32_t>(containers, at + header_size_at);
            for (std::size_t extra = entry_header; extra + 4 <= header_size; extra += 4) {
                fields.push_back({fmt::format("{}: behind the header at {:#x}", where, extra), at + extra, 4});
            }
        });
    return fields;
}

std::vector<std::size_t> boundaries_of_containers(const Bytes& containers) {
    std::vector<std::size_t> boundaries;
    walk(
        containers,
        [&](std::size_t, std::size_t at, std::size_t end) {
            for (const std::size_t boundary : {at + 4, at + 8, at + container_header, end}) {
                boundaries.push_back(boundary);
            }
        },
        [&](std::size_t, std::size_t, std::size_t at) {
            for (std::size_t field = 8; field <= entry_header; field += 8) {
                boundaries.push_back(at + field);
            }
            const auto header_size = read_at<std::uint32_t>(containers, at + header_size_at);
            const auto padded_size = read_at<std::uint64_t>(containers, at + padded_size_at);
            boundaries.push_back(at + header_size);
            boundaries.push_back(at + header_size + padded_size / 2);
            boundaries.push_back(at + header_size + padded_size);
        });
    return boundaries;
}

} // namespace cag::test
