// A loop over independent items on several threads. Results stay in the items' order because each item writes its own slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cag {

// Threads to use when nobody says otherwise: those that this process may run on.
[[nodiscard]] unsigned default_threads();

// At most so many threads for work on so many bytes: starting one takes as long as reading the bytes of a small file.
[[nodiscard]] unsigned threads_for(std::uint64_t bytes, unsigned threads);

// Calls work(i) for every i in [0, count). The first exception is thrown again here, after all threads have ended.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

} // namespace cag
