// The GPUs that an image serves by rules 1 to 3 and 16, for readers that have no rules: a range of numbers with at most one exception.
#pragma once

#include <cudaarchguard/coverage.hpp>

namespace cag::compat {

// 90 is compute capability 9.0.
struct ServedGpus {
    unsigned first = 1;
    unsigned last = 0; // below `first`: none; no_end where later GPUs are served too
    unsigned except = 0;

    static constexpr unsigned no_end = 0xffff;

    [[nodiscard]] bool holds(unsigned gpu) const { return first <= gpu && gpu <= last && gpu != except; }
};

[[nodiscard]] ServedGpus served_gpus(ImageKind kind, Arch arch);

} // namespace cag::compat
