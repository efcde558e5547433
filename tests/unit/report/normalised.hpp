// What changes with each release, or is the same in every report, is no part of what is approved: the files stay small enough to be read.
#pragma once

#include "report/report.hpp"

#include <string>
#include <string_view>

namespace cag::test {

// Everything from behind `begin` up to the next `end` becomes "...".
inline void shorten(std::string& text, std::string_view begin, std::string_view end) {
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + begin.size())) {
        const auto stop = text.find(end, at + begin.size());
        if (stop == std::string::npos) {
            return;
        }
        text.replace(at + begin.size(), stop - at - begin.size(), "...");
    }
}

inline std::string normalised(std::string text) {
    shorten(text, "\"version\": \"", "\"");   // of the program, and of SARIF
    shorten(text, "cuda-arch-guard 0.", "<"); // in the HTML's foot
    shorten(text, "<style>", "</style>");
    shorten(text, "<script>", "</script>");
    shorten(text, "\"rules\": [", "\"results\""); // of SARIF: the registry's test holds them
    shorten(text, "\"fullDescription\"", "}");
    return text;
}

} // namespace cag::test
