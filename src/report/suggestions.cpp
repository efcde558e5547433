#include "report/suggestions.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

namespace cag {
namespace {

// A line of words, of which one may stand for several.
struct Line {
    std::vector<std::string> words;
    std::optional<std::size_t> open;   // index of that word
    std::vector<std::string> values{}; // what stands there, from the second on
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

// Flags, and values of a list, can stand beside each other; other words cannot.
bool joins(const std::string& word) { return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')); }

// "nvcc:", "CMake:": lines of one tool with the same words say the same, but for a word or for more words at the end.
bool names_tool(const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.ends_with(':'); });
}

// True where `words` is the line, or could be made a part of it.
bool take(Line& line, const std::vector<std::string>& words) {
    if (line.words == words) {
        return true;
    }
    if (!names_tool(words)) {
        return false;
    }
    std::vector<std::size_t> different;
    for (std::size_t i = 0; i < std::min(words.size(), line.words.size()); ++i) {
        if (line.words[i] != words[i]) {
            different.push_back(i);
        }
    }
    if (different.size() > 1) {
        return false;
    }
    if (!different.empty()) {
        const std::size_t at = different[0];
        if ((line.open && *line.open != at) || !joins(line.words[at]) || !joins(words[at])) {
            return false;
        }
        line.open = at;
        if (std::find(line.values.begin(), line.values.end(), words[at]) == line.values.end()) {
            line.values.push_back(words[at]);
        }
    }
    for (std::size_t i = line.words.size(); i < words.size(); ++i) {
        line.words.push_back(words[i]);
    }
    return true;
}

std::string text_of(const Line& line) {
    std::string text;
    for (std::size_t i = 0; i < line.words.size(); ++i) {
        text += (i == 0 ? "" : " ") + line.words[i];
        if (line.open == i) {
            for (const std::string& value : line.values) {
                text += (value[0] == '-' ? ' ' : ';') + value;
            }
        }
    }
    return text;
}

} // namespace

std::vector<std::string> suggestions(const std::vector<FindingGroup>& groups) {
    std::vector<Line> lines;
    for (const FindingGroup& group : groups) {
        for (const std::string& fix : group.first->fixes) {
            const std::string_view rebuild = "rebuild, ";
            const auto words = words_of(fix.starts_with(rebuild) ? fix.substr(rebuild.size()) : fix);
            if (std::none_of(lines.begin(), lines.end(), [&](Line& line) { return take(line, words); })) {
                lines.push_back({words, std::nullopt});
            }
        }
    }
    std::vector<std::string> texts;
    std::transform(lines.begin(), lines.end(), std::back_inserter(texts), text_of);
    return texts;
}

} // namespace cag
