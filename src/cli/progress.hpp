// Progress on a terminal: how much is read, how fast, and how long it may still take. Standard error only, after a second, and gone at the
// end.
#pragma once

#include "coverage/scan.hpp"

#include <chrono>

namespace cag {

class Progress {
  public:
    // `total`: bytes of the paths on disk; 0 where that is not known.
    explicit Progress(std::uint64_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const ScanProgress& done);

  private:
    std::uint64_t total_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = begin_;
};

// "1.2 GiB of 5.0 GiB, 37 files, 410.0 MiB/s, 9 s left"
[[nodiscard]] std::string progress_line(const ScanProgress& done, std::uint64_t total, double seconds);

} // namespace cag
