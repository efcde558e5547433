// Texts that the toolkit leaves in its output.
#pragma once

#include <string>
#include <string_view>

namespace cag {

// Options are recorded with spaces around them.
[[nodiscard]] inline std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string() : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

// "13.0" from the line "Cuda compilation tools, release 13.0, V13.0.88" of PTX and cubins; empty where the text names no release.
[[nodiscard]] inline std::string release_in(std::string_view text) {
    constexpr std::string_view key = "release ";
    const auto key_at = text.find(key);
    if (key_at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = text.substr(key_at + key.size());
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

} // namespace cag
