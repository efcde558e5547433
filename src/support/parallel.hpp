// A loop over independent items on several threads. Results stay in the items' order because each item writes its own slot.
#pragma once

#include <cstddef>
#include <functional>

namespace cag {

// Threads to use when nobody says otherwise: those that this process may run on.
[[nodiscard]] unsigned default_threads();

// Calls work(i) for every i in [0, count). The first exception is thrown again here, after all threads have ended.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

} // namespace cag
