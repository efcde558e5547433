// Progress on a terminal: how much is read, how fast, and how long it may still take. Standard error only, after a second, and gone at the
// end.
#pragma once

#include "coverage/scan.hpp"

#include <chrono>

namespace cag {

class Progress {
  public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const ScanProgress& done);

  private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = begin_;
};

// "[#####---------------]  1.2 GiB of 5.0 GiB, 37 files, 410.0 MiB/s, 9 s left"
[[nodiscard]] std::string progress_line(const ScanProgress& done, double seconds);

} // namespace cag
