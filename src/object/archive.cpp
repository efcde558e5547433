// Unix archives (.a): "!<arch>\n", then members, each a 60-byte text header and its bytes, padded to two.
// GNU keeps names over 15 characters in a member "//" and writes "/offset"; BSD writes "#1/length" and puts the name before the bytes.
// A thin archive ("!<thin>\n") has headers only; the members are files beside it. Look at one with `ar tvO FILE`.
#include "object/object.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

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

} // namespace

bool is_archive(const ByteView& view) {
    const auto magic = view.read<std::array<char, magic_size>>(0, "archive magic");
    if (!magic) {
        return false;
    }
    const std::string_view text(magic->data(), magic->size());
    return text == "!<arch>\n" || text == "!<thin>\n";
}

Archive read_archive(const ByteView& view, const Limits& limits) {
    Archive archive;
    archive.thin = view.read<char>(2, "archive magic").value_or('a') == 't';
    std::string names;
    std::uint64_t offset = magic_size;
    while (offset < view.size()) {
        const auto header = view.read<Header>(offset, "archive member header");
        if (!header) {
            archive.problems.push_back(header.error());
            break;
        }
        const auto stored_size = decimal(trimmed(header->size));
        if (header->end != std::array{'`', '\n'} || !stored_size) {
            archive.problems.push_back({"CAG410",
                                        fmt::format("archive member header: expected a decimal size and the end mark 60 0a, found size "
                                                    "\"{}\"; the members behind it are not read",
                                                    trimmed(header->size)),
                                        view.position(offset)});
            break;
        }
        const std::string_view name = trimmed(header->name);
        const bool table = name == "/" || name == "//" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
        const bool external = archive.thin && !table;
        ArchiveMember member{{}, offset + header_size, *stored_size, external};
        const std::uint64_t bytes_here = external ? 0 : *stored_size;

        if (!view.contains(member.offset, bytes_here)) {
            archive.problems.push_back(
                {"CAG401",
                 fmt::format("archive member \"{}\" has {} bytes, but the archive ends after {} of them: it is cut short", name, bytes_here,
                             view.size() - std::min(view.size(), member.offset)),
                 view.position(offset)});
            member.size = view.size() - member.offset;
        }
        if (name == "//") {
            if (auto table_view = view.sub(member.offset, member.size, "archive name table")) {
                if (auto bytes = table_view->bytes(limits.max_table, "archive name table")) {
                    names = to_text(*bytes);
                } else {
                    archive.problems.push_back(bytes.error());
                }
            }
        } else if (!table) {
            if (name.starts_with("#1/")) { // BSD: the name is the first bytes of the member
                const std::uint64_t length = std::min(decimal(name.substr(3)).value_or(0), member.size);
                if (auto bytes = view.sub(member.offset, length, "archive member name").and_then([&](ByteView v) {
                        return v.bytes(4096, "archive member name");
                    })) {
                    member.name = to_text(*bytes).c_str(); // padded with NULs
                }
                member.offset += length;
                member.size -= length;
            } else if (name.starts_with('/')) {
                member.name = long_name(names, decimal(name.substr(1)).value_or(names.size()));
            } else {
                member.name = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
            }
            if (member.name.empty()) {
                archive.problems.push_back(
                    {"CAG410",
                     fmt::format("archive member name \"{}\" does not lead into the table of long names ({} bytes)", name, names.size()),
                     view.position(offset)});
                member.name = fmt::format("member at {:#x}", offset);
            }
            archive.members.push_back(std::move(member));
            if (archive.members.size() >= limits.max_entries) {
                archive.problems.push_back(
                    {"CAG404", fmt::format("more than {} members; the rest is not read", limits.max_entries), view.position(offset)});
                break;
            }
        }
        const std::uint64_t next = offset + header_size + bytes_here;
        if (next < offset) {
            break;
        }
        offset = next + (next & 1);
    }
    return archive;
}

} // namespace cag
