#include "cli/progress.hpp"

#include "report/style.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace cag {

std::string progress_line(const ScanProgress& done, std::uint64_t total, double seconds) {
    const double rate = seconds > 0 ? static_cast<double>(done.bytes) / seconds : 0;
    std::string line = byte_size(done.bytes);
    // Members of archives count expanded, so there may be more than the paths hold; then nothing is known of the rest.
    const bool known = total > done.bytes;
    if (known) {
        line += fmt::format(" of {}", byte_size(total));
    }
    line += fmt::format(", {}, {}/s", counted(done.files, "file"), byte_size(static_cast<std::uint64_t>(rate)));
    if (known && rate > 0) {
        line += fmt::format(", {:.0f} s left", static_cast<double>(total - done.bytes) / rate);
    }
    return line;
}

Progress::Progress(std::uint64_t total) : total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

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
    std::fputs(fmt::format("\r\x1b[K{}", progress_line(done, total_, duration<double>(now - begin_).count())).c_str(), stderr);
    std::fflush(stderr);
}

} // namespace cag
