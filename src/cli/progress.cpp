#include "cli/progress.hpp"

#include "report/style.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace cag {

std::string progress_line(const ScanProgress& done, double seconds) {
    const auto bytes = static_cast<double>(done.bytes);
    const double rate = seconds > 0 ? bytes / seconds : 0;
    const bool known = done.total != 0 && done.bytes <= done.total;
    std::string line = byte_size(done.bytes);
    if (known) {
        constexpr std::size_t width = 20;
        const auto filled = static_cast<std::size_t>(bytes / static_cast<double>(done.total) * width);
        line = fmt::format("[{:-<{}}]  {} of {}", std::string(filled, '#'), width, line, byte_size(done.total));
    }
    line += fmt::format(", {}, {}/s", counted(done.files, "file"), byte_size(static_cast<std::uint64_t>(rate)));
    if (known && rate > 0 && done.bytes >= done.total / 100) { // earlier it would be a guess
        line += fmt::format(", {:.0f} s left", static_cast<double>(done.total - done.bytes) / rate);
    }
    return line;
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (shown_) {
        std::fputs("\r\x1b[K", stderr);
    }
}

void Progress::show(const ScanProgress& done) {
    using std::chrono::duration;
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - begin_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(200)) {
        return;
    }
    last_ = now;
    shown_ = true;
    std::fputs(fmt::format("\r\x1b[K{}", progress_line(done, duration<double>(now - begin_).count())).c_str(), stderr);
    std::fflush(stderr);
}

} // namespace cag
