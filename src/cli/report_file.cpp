#include "cli/report_file.hpp"

#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cag {
namespace {

tl::unexpected<Problem> cannot_write(const std::string& path) {
    return failure("CAG506", fmt::format("expected to write the report {}, found: {}; check the folder and its permissions", path,
                                         std::strerror(errno)));
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return true;
}

// A pipe or a device, such as /dev/stderr, cannot be replaced by a file.
bool exists_and_is_no_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

void discard(const std::string& staged, const std::string& path) {
    if (staged != path) {
        ::unlink(staged.c_str());
    }
}

// The text in a file beside the one that it will replace; a pipe or a device is written at once. Returns the name of what was written.
Result<std::string> stage(const std::string& path, const std::string& text) {
    const bool in_place = exists_and_is_no_file(path);
    std::string target = in_place ? path : fmt::format("{}.{}.tmp", path, ::getpid());
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return cannot_write(path);
    }
    const bool written = write_all(file, text);
    const bool closed = ::close(file) == 0;
    if (written && closed) {
        return target;
    }
    const auto problem = cannot_write(path);
    discard(target, path);
    return problem;
}

Result<void> put_in_place(const std::string& staged, const std::string& path) {
    if (staged == path || std::rename(staged.c_str(), path.c_str()) == 0) {
        return {};
    }
    const auto problem = cannot_write(path);
    discard(staged, path);
    return problem;
}

} // namespace

Result<std::vector<ReportFile>> parse_report_files(const OutputOptions& options) {
    std::vector<ReportFile> reports;
    for (const std::string& text : options.reports) {
        const auto equals = text.find('=');
        const std::string format = text.substr(0, equals);
        const bool known = std::find(options.formats.begin(), options.formats.end(), format) != options.formats.end();
        if (!known || equals == std::string::npos || equals + 1 == text.size()) {
            return failure("CAG505",
                           fmt::format("expected FORMAT=FILE for --report, found `{}`; formats are {}, as in --report html=result.html",
                                       text, fmt::join(options.formats, ", ")));
        }
        const auto name =
            std::find_if(format_names().begin(), format_names().end(), [&](const auto& entry) { return entry.first == format; });
        reports.push_back({name->second, text.substr(equals + 1)});
    }
    return reports;
}

Result<void> write_file(const std::string& path, const std::string& text) {
    const auto staged = stage(path, text);
    return staged ? put_in_place(*staged, path) : tl::unexpected(staged.error());
}

int deliver(const Render& render, const std::vector<ReportFile>& reports, const OutputOptions& options, int status) {
    std::vector<std::string> staged;
    std::optional<Problem> problem;
    for (const ReportFile& report : reports) {
        if (const auto file = stage(report.path, render(report.format, Style{})); file) {
            staged.push_back(*file);
        } else {
            problem = file.error();
            break;
        }
    }
    for (std::size_t i = 0; i < staged.size(); ++i) {
        if (problem) {
            discard(staged[i], reports[i].path);
        } else if (const auto done = put_in_place(staged[i], reports[i].path); !done) {
            problem = done.error();
        }
    }
    if (problem) {
        print_note(problem->code + ": " + problem->message);
        status = status_undecided;
    }
    return finish(render(options.format, style_of(options)), status);
}

} // namespace cag
