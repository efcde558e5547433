// Small tools for reading lines of text.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split(std::string&& text, char separator) = delete; // the parts would outlive the text
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] bool holds(std::string_view text, std::string_view part);
// What stands behind `key` up to the end of that line, trimmed; "" where there is no such key.
[[nodiscard]] std::string_view after(std::string_view text, std::string_view key);

template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text, int base = 10) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

} // namespace cag
