// Text inside Markdown documents.
#pragma once

#include <string>
#include <string_view>

namespace cag {

// Names come from files: what Markdown or HTML would act on is escaped.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

} // namespace cag
