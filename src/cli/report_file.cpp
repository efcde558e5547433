#include "cli/report_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
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

} // namespace

Result<std::vector<ReportFile>> parse_report_files(const std::vector<std::string>& texts) {
    std::vector<ReportFile> reports;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        const auto& names = format_names();
        const auto known = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == text.substr(0, equals); });
        if (known == names.end() || equals == std::string::npos || equals + 1 == text.size()) {
            std::vector<std::string> allowed;
            allowed.reserve(names.size());
            for (const auto& name : names) {
                allowed.push_back(name.first);
            }
            return failure("CAG505",
                           fmt::format("expected FORMAT=FILE for --report, found `{}`; formats are {}, as in --report sarif=result.sarif",
                                       text, fmt::join(allowed, ", ")));
        }
        reports.push_back({known->second, text.substr(equals + 1)});
    }
    return reports;
}

Result<void> write_file(const std::string& path, const std::string& text) {
    const bool in_place = exists_and_is_no_file(path);
    const std::string target = in_place ? path : fmt::format("{}.{}.tmp", path, ::getpid());
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return cannot_write(path);
    }
    const bool written = write_all(file, text);
    const bool closed = ::close(file) == 0;
    if (written && closed && (in_place || std::rename(target.c_str(), path.c_str()) == 0)) {
        return {};
    }
    const auto problem = cannot_write(path);
    if (!in_place) {
        ::unlink(target.c_str());
    }
    return problem;
}

} // namespace cag
