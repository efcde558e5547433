#include "report/markdown.hpp"

#include "report/style.hpp"

namespace cag {

std::string markdown_escaped(std::string_view text) {
    std::string shown;
    for (const char c : printable(text)) {
        if (c == '<') {
            shown += "&lt;";
        } else if (c == '&') {
            shown += "&amp;";
        } else {
            if (std::string_view{"\\`*_[]|#~>@!"}.find(c) != std::string_view::npos) {
                shown += '\\';
            }
            shown += c;
        }
    }
    return shown;
}

} // namespace cag
