// --report FORMAT=FILE: further copies of a result, in other formats.
#pragma once

#include "cli/options.hpp"
#include "report/style.hpp"
#include "support/result.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cag {

struct ReportFile {
    Format format = Format::json;
    std::string path;
};

// The --report options. Failure CAG505: a format that the command does not have, or no file.
[[nodiscard]] Result<std::vector<ReportFile>> parse_report_files(const OutputOptions& options);

// Writes the file as a whole or not at all: readers never see a half, and an old report stays where the new one cannot be written.
// Failure CAG506.
[[nodiscard]] Result<void> write_file(const std::string& path, const std::string& text);

// The result in any format; the style is for text.
using Render = std::function<std::string(Format, const Style&)>;

// Writes the report files, all of them or none, and prints the result. Returns `status`, or "undecided" where something could not be
// written.
[[nodiscard]] int deliver(const Render& render, const std::vector<ReportFile>& reports, const OutputOptions& options, int status);

} // namespace cag
