#include "cli/output.hpp"

#include "report/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cag {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (const auto value = variable(name); !value.empty()) {
            return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos ||
                   value.find("utf-8") != std::string_view::npos;
        }
    }
    return false;
}

std::size_t terminal_width() {
    if (const int columns = std::atoi(std::string{variable("COLUMNS")}.c_str()); columns >= 40) {
        return static_cast<std::size_t>(columns);
    }
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40;
    return known ? size.ws_col : 80;
}

bool decide(Choice choice, bool automatic) { return choice == Choice::automatic ? automatic : choice == Choice::always; }

} // namespace

Style style_of(const OutputOptions& options) {
    Style style;
    style.colour = decide(options.colour, isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb");
    style.unicode = decide(options.unicode, locale_is_utf8());
    style.width = options.width != 0 ? options.width : terminal_width();
    style.detail = options.quiet ? Detail::brief : options.verbose ? Detail::full : Detail::usual;
    return style;
}

int finish(const std::string& result, int status) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is an error like any other, and not our end
    const bool written = std::fwrite(result.data(), 1, result.size(), stdout) == result.size() && std::fflush(stdout) == 0;
    if (written) {
        return status;
    }
    const int reason = errno;
    if (reason != EPIPE) {
        std::fputs(
            fmt::format("cuda-arch-guard: CAG506: the result cannot be written to standard output: {}\n", std::strerror(reason)).c_str(),
            stderr);
    }
    return status_undecided;
}

int give_up(const char* command, const OutputOptions& options, const Problem& problem) {
    std::fputs(fmt::format("cuda-arch-guard: {}: {}\n", problem.code, printable(problem.message)).c_str(), stderr);
    return options.format == Format::json ? finish(failure_json(command, problem), status_undecided) : status_undecided;
}

void print_note(const std::string& text) { std::fputs(fmt::format("cuda-arch-guard: {}\n", printable(text)).c_str(), stderr); }

} // namespace cag
