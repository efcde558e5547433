// Pieces of the HTML report.
#pragma once

#include "report/report.hpp"

#include <string>
#include <string_view>

namespace cag {

// Text for HTML: names come from files, and nothing in them may become markup.
[[nodiscard]] std::string html_text(std::string_view text);

// The drill-down: for each file its modules, for each module its kernels, over architectures and GPUs, with the reasons of each outcome.
[[nodiscard]] std::string html_files(const ScanReport& report);

// Rows of files over architectures and GPUs.
[[nodiscard]] std::string html_overview(const ScanReport& report);

// Bytes for each architecture, as bars.
[[nodiscard]] std::string html_sizes(const Coverage& coverage);

} // namespace cag
