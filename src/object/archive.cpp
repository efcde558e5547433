// Unix archives (.a): "!<arch>\n", then members, each a 60-byte text header and its bytes, padded to two.
// GNU keeps names over 15 characters in a member "//" and writes "/offset"; BSD writes "#1/length" and puts the name before the bytes.
// A thin archive ("!<thin>\n") has headers only; the members are files beside it. Look at one with `ar tvO FILE`.
#include "object/object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace cag {

namespace {

constexpr std::uint64_t magic_size = 8;
constexpr std::uint64_t header_size = 60;

struct Header {
    std::array<char, 16> name;
    std::array<char, 12> date;
    std::array<char, 12> owner_and_group;
    std::array<char, 8> mode;
    std::array<char, 10> size;
    std::array<char, 2> end;
};
static_assert(sizeof(Header) == header_size);

template <std::size_t N>
std::string_view trimmed(const std::array<char, N>& field) {
    std::string_view text(field.data(), N);
    const auto last = text.find_last_not_of(' ');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::optional<std::uint64_t> decimal(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return value;
}

std::string to_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The name behind GNU's "/123": up to "/\n" in the table of long names.
std::string long_name(const std::string& table, std::uint64_t offset) {
    if (offset >= table.size()) {
        return {};
    }
    std::string name = table.substr(offset, table.find('\n', offset) - offset);
    if (!name.empty() && name.back() == '/') {
        name.pop_back();
    }
    return name;
}

// A header that can be stepped over: it ends with its mark, and its size is a number.
std::optional<std::uint64_t> size_in(const Header& header) {
    const auto size = decimal(trimmed(header.size));
    return header.end == std::array{'`', '\n'} ? size : std::nullopt;
}

// Where the next member begins behind a header that cannot be read: the first place, at an even offset, that looks like a header whose
// member lies inside the archive.
std::uint64_t next_member(const ByteView& view, std::uint64_t from) {
    constexpr std::uint64_t chunk = 256 * 1024;
    constexpr std::uint64_t end_at = offsetof(Header, end);
    Bytes bytes;
    for (from += from & 1; from < view.size() && view.size() - from >= header_size; from += chunk) {
        bytes.resize(std::min(view.size() - from, chunk + header_size));
        if (!view.read_into(from, bytes, "rest of a damaged archive")) {
            break;
        }
        for (std::uint64_t at = 0; at < chunk && at + header_size <= bytes.size(); at += 2) {
            if (bytes[at + end_at] != std::byte{'`'} || bytes[at + end_at + 1] != std::byte{'\n'}) {
                continue;
            }
            Header header{};
            std::memcpy(&header, bytes.data() + at, sizeof(header));
            const auto size = size_in(header);
            if (size && !trimmed(header.name).empty() && view.contains(from + at + header_size, *size)) {
                return from + at;
            }
        }
    }
    return view.size();
}

} // namespace

bool is_archive(const ByteView& view) {
    const auto magic = view.read<std::array<char, magic_size>>(0, "archive magic");
    if (!magic) {
        return false;
    }
    const std::string_view text(magic->data(), magic->size());
    return text == "!<arch>\n" || text == "!<thin>\n";
}

namespace {

class ArchiveReader {
  public:
    ArchiveReader(const ByteView& view, const Limits& limits) : view_(view), limits_(limits) {}

    Archive read() {
        archive_.thin = view_.read<char>(2, "archive magic").value_or('a') == 't';
        std::uint64_t offset = magic_size;
        while (offset < view_.size()) {
            if (archive_.members.size() >= limits_.max_entries) {
                report("CAG404", fmt::format("more than {} members; the rest is not read", limits_.max_entries), offset);
                break;
            }
            offset = read_member(offset);
        }
        return std::move(archive_);
    }

  private:
    void report(const char* code, std::string message, std::uint64_t offset) {
        archive_.problems.push_back({code, std::move(message), view_.position(offset)});
    }

    // Returns the offset of the next header.
    std::uint64_t read_member(std::uint64_t offset) {
        const auto header = view_.read<Header>(offset, "archive member header");
        if (!header) {
            archive_.problems.push_back(header.error());
            return view_.size();
        }
        const auto stored_size = size_in(*header);
        if (!stored_size) {
            return step_over_damage(*header, offset);
        }
        const std::string_view name = trimmed(header->name);
        const bool table = name == "/" || name == "//" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
        const bool external = archive_.thin && !table;
        ArchiveMember member{{}, offset + header_size, *stored_size, external};
        const std::uint64_t bytes_here = external ? 0 : *stored_size;
        std::uint64_t next = member.offset + bytes_here;
        if (!view_.contains(member.offset, bytes_here)) {
            report("CAG401",
                   fmt::format("archive member \"{}\" has {} bytes, but the archive ends after {} of them: it is cut short", name,
                               bytes_here, view_.size() - member.offset),
                   offset);
            // Or its size is what is damaged. An archive in an archive has headers of its own, which are not ours.
            next = begins_archive(member.offset) ? view_.size() : resume_from(member.offset);
            member.size = next - member.offset;
        }
        if (name == "//") {
            read_names(member);
        } else if (!table) {
            set_name(member, name, offset);
            archive_.members.push_back(std::move(member));
        }
        return next + (next & 1);
    }

    // A header that is none, or damaged: reading goes on at the next one. Where the mark at its end is there, it is this header that is
    // damaged, and the bytes behind it are its member; else the size of the member before it is wrong, and that one ends at the next
    // header.
    std::uint64_t step_over_damage(const Header& header, std::uint64_t offset) {
        report(
            "CAG402",
            fmt::format("archive member header: expected a decimal size and the end mark 60 0a, found size \"{}\"; reading goes on at the "
                        "next header",
                        trimmed(header.size)),
            offset);
        const bool has_mark = header.end == std::array{'`', '\n'};
        ArchiveMember* before = archive_.members.empty() || archive_.thin ? nullptr : &archive_.members.back();
        if (before != nullptr && !has_mark && !begins_archive(before->offset)) {
            const std::uint64_t next = resume_from(before->offset);
            before->size = next - before->offset;
            return next;
        }
        const std::uint64_t next = resume_from(offset + 2);
        if (next - offset > header_size && !archive_.thin) {
            archive_.members.push_back({fmt::format("member at {:#x}", offset), offset + header_size, next - offset - header_size, false});
        }
        return next;
    }

    // The next header behind `from`, and behind all those that a search has led to before: damage cannot lead in circles.
    std::uint64_t resume_from(std::uint64_t from) {
        resumed_at_ = next_member(view_, std::max(from, resumed_at_ + 2));
        return resumed_at_;
    }

    [[nodiscard]] bool begins_archive(std::uint64_t offset) const { return is_archive(view_.from(offset)); }

    void read_names(const ArchiveMember& table) {
        auto bytes = view_.sub(table.offset, table.size, "archive name table").and_then([&](const ByteView& view) {
            return view.bytes(limits_.max_table, "archive name table");
        });
        if (bytes) {
            names_ = to_text(*bytes);
        } else {
            archive_.problems.push_back(bytes.error());
        }
    }

    void set_name(ArchiveMember& member, std::string_view name, std::uint64_t header_at) {
        if (name.starts_with("#1/")) { // BSD: the name is the first bytes of the member
            const std::uint64_t length = std::min(decimal(name.substr(3)).value_or(0), member.size);
            if (auto bytes = view_.sub(member.offset, length, "archive member name").and_then([&](ByteView v) {
                    return v.bytes(4096, "archive member name");
                })) {
                member.name = to_text(*bytes).c_str(); // padded with NULs
            }
            member.offset += length;
            member.size -= length;
        } else if (name.starts_with('/')) {
            member.name = long_name(names_, decimal(name.substr(1)).value_or(names_.size()));
        } else {
            member.name = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
        }
        if (member.name.empty()) {
            report("CAG402",
                   fmt::format("archive member name \"{}\" does not lead into the table of long names ({} bytes)", name, names_.size()),
                   header_at);
            member.name = fmt::format("member at {:#x}", header_at);
        }
    }

    ByteView view_;
    Limits limits_;
    Archive archive_;
    std::string names_;
    std::uint64_t resumed_at_ = 0;
};

} // namespace

Archive read_archive(const ByteView& view, const Limits& limits) { return ArchiveReader(view, limits).read(); }

} // namespace cag
