// A value, or the Problem that stands in its place.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <tl/expected.hpp>

#include <utility>

namespace cag {

template <class T>
using Result = tl::expected<T, Problem>;

inline tl::unexpected<Problem> failure(std::string code, std::string message, std::optional<std::uint64_t> offset = {}) {
    return tl::unexpected<Problem>(Problem{std::move(code), std::move(message), offset});
}

} // namespace cag
