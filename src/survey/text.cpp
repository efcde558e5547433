#include "survey/text.hpp"

#include <algorithm>
#include <cctype>

namespace cag {

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == '\0'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines = split(text, '\n');
    for (std::string_view& line : lines) {
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
    }
    return lines;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view after(std::string_view text, std::string_view key) {
    const auto found = text.find(key);
    if (found == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = text.substr(found + key.size());
    return trimmed(rest.substr(0, rest.find('\n')));
}

} // namespace cag
