#include "cli/policy_source.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cag {

std::optional<std::string> nearest_policy() {
    std::error_code error;
    const auto start = std::filesystem::current_path(error);
    for (auto folder = start; !error; folder = folder.parent_path()) {
        if (const auto file = folder / policy_file_name; std::filesystem::is_regular_file(file, error)) {
            return folder == start ? policy_file_name : file.string();
        }
        if (folder == folder.parent_path()) {
            break;
        }
        error.clear(); // a folder that cannot be looked into has none for us
    }
    return std::nullopt;
}

Result<std::string> read_text_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        return failure("CAG408", fmt::format("expected a policy file, found that {} cannot be read: {}; `cuda-arch-guard policy init PATH` "
                                             "writes one",
                                             path, errno == 0 ? "it is empty or no file" : std::strerror(errno)));
    }
    return text.str();
}

Result<Policy> load_policy(const std::string& path) {
    const auto text = read_text_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    PolicyReading reading = read_policy(*text);
    if (!reading.errors.empty()) {
        const std::size_t more = reading.errors.size() - 1;
        return failure("CAG508", to_string(path, reading.errors.front()) +
                                     (more == 0 ? "" : fmt::format("; `cuda-arch-guard policy check {}` shows {} more", path, more)));
    }
    return std::move(reading.policy);
}

std::string today(int days) {
    std::time_t now = std::time(nullptr);
    now += std::time_t{days} * 24 * 60 * 60;
    std::tm day{};
    gmtime_r(&now, &day);
    return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

} // namespace cag
