#include "report/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cag {
namespace {

const char* escape_of(Ink ink) {
    switch (ink) {
    case Ink::good:
        return "\x1b[32m";
    case Ink::caution:
        return "\x1b[33m";
    case Ink::bad:
        return "\x1b[31m";
    case Ink::quiet:
        return "\x1b[2m";
    case Ink::strong:
        return "\x1b[1m";
    case Ink::plain:
        break;
    }
    return "";
}

bool is_continuation(unsigned char byte) { return (byte & 0xc0U) == 0x80U; }

// Bytes of the well-formed UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(byte(i))) {
            return 0;
        }
    }
    // Overlong forms, surrogates, and numbers behind the last code point.
    const bool malformed = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf0 && byte(1) < 0x90) ||
                           (lead == 0xf4 && byte(1) >= 0x90);
    return malformed ? 0 : length;
}

// C0 and C1 controls and DEL; the C1 ones are two bytes in UTF-8 (0xc2 0x80..0x9f).
bool is_control(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence[0]);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0);
}

} // namespace

std::string paint(const Style& style, Ink ink, std::string_view text) {
    if (!style.colour || ink == Ink::plain) {
        return std::string{text};
    }
    return fmt::format("{}{}\x1b[0m", escape_of(ink), text);
}

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::size_t taken = length == 0 ? 1 : length;
        const std::string_view sequence = text.substr(0, taken);
        if (length == 0 || is_control(sequence)) {
            for (const char c : sequence) {
                shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
            }
        } else {
            shown += sequence;
        }
        text.remove_prefix(taken);
    }
    return shown;
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size() - 1);
        } else if (!is_continuation(static_cast<unsigned char>(text[i]))) {
            ++count;
        }
    }
    return count;
}

std::string fit(const Style& style, std::string_view text, std::size_t width) {
    const std::size_t length = columns(text);
    if (length <= width) {
        return std::string{text} + std::string(width - length, ' ');
    }
    const std::string_view ellipsis = style.unicode ? "…" : "..";
    const std::size_t kept = width > columns(ellipsis) ? width - columns(ellipsis) : 0;
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail_from = length - (kept - head);
    std::string shown;
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_continuation(static_cast<unsigned char>(text[i]))) {
            ++column;
            if (column == head + 1) {
                shown += ellipsis;
            }
        }
        if (column <= head || column > tail_from) {
            shown += text[i];
        }
    }
    return shown;
}

std::string wrapped(const Style& style, std::string_view first, std::string_view text) {
    const std::size_t indent = columns(first);
    std::string lines{first};
    std::size_t column = indent;
    bool line_is_new = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line_is_new && column + 1 + columns(word) > style.width) {
            lines += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (!line_is_new) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += columns(word);
        line_is_new = false;
    }
    return lines + '\n';
}

std::string ranges(const std::vector<std::size_t>& ascending, std::size_t shown) {
    std::string text;
    for (std::size_t i = 0; i < ascending.size(); --shown) {
        if (shown == 0) {
            return text + fmt::format(" and {} more", ascending.size() - i);
        }
        std::size_t last = i;
        while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) {
            ++last;
        }
        text += text.empty() ? "" : ", ";
        text += last == i ? fmt::format("{}", ascending[i]) : fmt::format("{}-{}", ascending[i], ascending[last]);
        i = last + 1;
    }
    return text;
}

std::string counted(std::size_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string byte_size(std::uint64_t bytes) {
    static constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        return fmt::format("{} B", bytes);
    }
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

} // namespace cag
