// scan(inputs) -> Coverage: opens every path, finds device code and sorts it into modules.
#pragma once

#include "image/image.hpp"
#include "support/limits.hpp"
#include "support/shard.hpp"

#include <cudaarchguard/coverage.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cag {

// How far a scan has come, for people who wait.
struct ScanProgress {
    std::uint64_t bytes = 0; // on disk, that are read
    std::uint64_t total = 0; // of so many; 0 where that is not known
    std::size_t files = 0;
    std::size_t inputs = 0; // paths that are read completely
};

struct ScanOptions {
    ScanDepth depth = ScanDepth::payload;
    Limits limits;
    unsigned threads = 0;                                      // 0: as many as this process may use
    std::function<bool(const std::string& name)> wants_text{}; // files to put into Coverage::texts
    // What is known of a file on disk already, so that it is not read. Asked by several threads.
    std::function<std::optional<Coverage>(const std::string& path)> known{};
    Shard shard{};                                       // which part of the paths' files is read
    std::function<void(const ScanProgress&)> progress{}; // called often, by one thread at a time
};

// Never fails as a whole: a path that cannot be read is a file with a problem. Files come in the order of `paths`, members in the order of
// their archive, on any number of threads.
[[nodiscard]] Coverage scan(const std::vector<std::string>& paths, const ScanOptions& options = {});

// The same for one file whose bytes are in memory. `bytes` outlives the call only.
[[nodiscard]] Coverage scan_bytes(std::span<const std::byte> bytes, const std::string& name, const ScanOptions& options = {});

} // namespace cag
