// How text looks: colours, symbols and width. Colour never carries a meaning that a symbol does not carry too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

enum class Detail : std::uint8_t { brief, usual, full }; // --quiet, neither, --verbose

struct Style {
    bool colour = false;
    bool unicode = true; // false: ASCII symbols
    std::size_t width = 80;
    Detail detail = Detail::usual;
};

enum class Ink : std::uint8_t { plain, good, caution, bad, quiet, strong };

[[nodiscard]] std::string paint(const Style& style, Ink ink, std::string_view text);

// One symbol in the two alphabets, and its colour.
struct Mark {
    const char* unicode;
    const char* ascii;
    Ink ink;

    [[nodiscard]] const char* text(const Style& style) const { return style.unicode ? unicode : ascii; }
    [[nodiscard]] std::string painted(const Style& style) const { return paint(style, ink, text(style)); }
};

namespace marks {
inline constexpr Mark sass{"●", "S", Ink::good};
inline constexpr Mark ptx{"○", "P", Ink::caution};
inline constexpr Mark sass_and_ptx{"◉", "B", Ink::good};
inline constexpr Mark ltoir{"◇", "L", Ink::quiet};
inline constexpr Mark missing{"✗", "X", Ink::bad}; // others have it
inline constexpr Mark none{"·", ".", Ink::quiet};  // nobody expects it here
inline constexpr Mark holds{"✓", "+", Ink::good};
inline constexpr Mark fails{"✗", "X", Ink::bad};
inline constexpr Mark unknown{"?", "?", Ink::caution};
inline constexpr Mark warning{"!", "!", Ink::caution};
inline constexpr Mark note{"·", "-", Ink::quiet};
} // namespace marks

// Names and messages come from files that may be hostile: control characters and what is not UTF-8 become \xNN, so that no file can send
// commands to the terminal.
[[nodiscard]] std::string printable(std::string_view text);

// Columns on a terminal: code points of valid UTF-8, escape sequences not counted.
[[nodiscard]] std::size_t columns(std::string_view text);

// `text` padded with blanks on the right, or cut in the middle with an ellipsis.
[[nodiscard]] std::string fit(const Style& style, std::string_view text, std::size_t width);

// Words on lines of the style's width; the first line begins behind `first`, the others behind as many blanks.
[[nodiscard]] std::string wrapped(const Style& style, std::string_view first, std::string_view text);

// {0, 2, 3, 4} -> "0, 2-4"; behind so many runs of numbers, the rest is counted: "0, 2-4 and 40 more".
[[nodiscard]] std::string ranges(const std::vector<std::size_t>& ascending, std::size_t shown = 8);

// counted(1, "module") -> "1 module", counted(2, "module") -> "2 modules"
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

// 1536 -> "1.5 KiB"
[[nodiscard]] std::string byte_size(std::uint64_t bytes);

} // namespace cag
