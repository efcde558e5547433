// scan(inputs) -> Coverage: opens every path, finds device code and sorts it into modules.
#pragma once

#include "image/image.hpp"
#include "support/limits.hpp"

#include <cudaarchguard/coverage.hpp>

#include <span>
#include <string>
#include <vector>

namespace cag {

struct ScanOptions {
    ScanDepth depth = ScanDepth::payload;
    Limits limits;
    unsigned threads = 0; // 0: as many as this process may use
};

// Never fails as a whole: a path that cannot be read is a file with a problem. Files come in the order of `paths`, members in the order of
// their archive, on any number of threads.
[[nodiscard]] Coverage scan(const std::vector<std::string>& paths, const ScanOptions& options = {});

// The same for one file whose bytes are in memory. `bytes` outlives the call only.
[[nodiscard]] Coverage scan_bytes(std::span<const std::byte> bytes, const std::string& name, const ScanOptions& options = {});

} // namespace cag
