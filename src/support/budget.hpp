// Memory that threads share: who wants more than is left waits until others have given theirs back.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cag {

class Budget {
  public:
    explicit Budget(std::uint64_t bytes) : limit_(bytes) {}

    // Holds `bytes` of the budget while it lives. More than the whole budget is given to one holder at a time, alone.
    class Share {
      public:
        Share(Budget& budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {
            std::unique_lock lock(budget_.mutex_);
            budget_.given_back_.wait(lock, [&] { return budget_.used_ == 0 || budget_.used_ + bytes_ <= budget_.limit_; });
            budget_.used_ += bytes_;
        }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() {
            {
                const std::scoped_lock lock(budget_.mutex_);
                budget_.used_ -= bytes_;
            }
            budget_.given_back_.notify_all();
        }

      private:
        Budget& budget_;
        std::uint64_t bytes_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable given_back_;
    std::uint64_t limit_;
    std::uint64_t used_ = 0;
};

} // namespace cag
