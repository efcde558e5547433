// --report FORMAT=FILE: further copies of a result, in other formats.
#pragma once

#include "cli/options.hpp"
#include "support/result.hpp"

#include <string>

namespace cag {

struct ReportFile {
    Format format = Format::json;
    std::string path;
};

// Failure CAG505: no such format, or no file.
[[nodiscard]] Result<std::vector<ReportFile>> parse_report_files(const std::vector<std::string>& texts);

// Writes the file as a whole or not at all: readers never see a half, and an old report stays where the new one cannot be written.
// Failure CAG506.
[[nodiscard]] Result<void> write_file(const std::string& path, const std::string& text);

} // namespace cag
