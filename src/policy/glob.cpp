#include "policy/glob.hpp"

#include <algorithm>

namespace cag {
namespace {

// `separators`: what `*` and `?` do not stand for.
bool matches(std::string_view pattern, std::string_view text, std::string_view separators) {
    while (!pattern.empty()) {
        const bool deep = pattern.starts_with("**");
        if (pattern[0] == '*') {
            pattern.remove_prefix(deep ? 2 : 1);
            if (deep && pattern.starts_with('/') && matches(pattern.substr(1), text, separators)) {
                return true;
            }
            for (;; text.remove_prefix(1)) {
                if (matches(pattern, text, separators)) {
                    return true;
                }
                if (text.empty() || (!deep && separators.find(text[0]) != std::string_view::npos)) {
                    return false;
                }
            }
        }
        const bool fits = !text.empty() && (pattern[0] == '?' ? separators.find(text[0]) == std::string_view::npos : pattern[0] == text[0]);
        if (!fits) {
            return false;
        }
        pattern.remove_prefix(1);
        text.remove_prefix(1);
    }
    return text.empty();
}

constexpr std::string_view path_separators = "/!";

} // namespace

bool glob_matches(std::string_view pattern, std::string_view text) { return matches(pattern, text, ""); }

bool path_matches(std::string_view pattern, std::string_view path) {
    if (matches(pattern, path, path_separators)) {
        return true;
    }
    for (std::size_t i = 0; !pattern.starts_with('/') && i < path.size(); ++i) {
        if (path_separators.find(path[i]) != std::string_view::npos && matches(pattern, path.substr(i + 1), path_separators)) {
            return true;
        }
    }
    return false;
}

bool any_path_matches(const std::vector<std::string>& patterns, std::string_view path) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return path_matches(pattern, path); });
}

} // namespace cag
