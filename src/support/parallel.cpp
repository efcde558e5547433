#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cag {

unsigned default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

unsigned threads_for(std::uint64_t bytes, unsigned threads) {
    constexpr std::uint64_t worth_a_thread = std::uint64_t{1} << 20;
    return static_cast<unsigned>(std::min<std::uint64_t>(threads, 1 + bytes / worth_a_thread));
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr first_error;
    std::mutex error_mutex;
    const auto drain = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                const std::scoped_lock lock(error_mutex);
                if (!first_error) {
                    first_error = std::current_exception();
                }
                next = count;
            }
        }
    };
    const std::size_t helpers = std::min<std::size_t>(std::max(1U, threads), count) - (count > 0 ? 1 : 0);
    {
        std::vector<std::jthread> pool;
        for (std::size_t i = 0; i < helpers; ++i) {
            pool.emplace_back(drain);
        }
        drain();
    }
    if (first_error) {
        std::rethrow_exception(first_error);
    }
}

} // namespace cag
