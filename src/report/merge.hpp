// Results of several runs as one: the parts of a sharded run, or runs on several machines. A part that is missing is said, and never fine.
#pragma once

#include "support/result.hpp"
#include "support/shard.hpp"

#include <string>
#include <vector>

namespace cag {

// A result with a note of which part it is: `modules` tells whether there was anything to judge, `asked` what was asked about all files.
[[nodiscard]] std::string with_shard(const std::string& json, const Shard& shard, std::size_t modules,
                                     const std::vector<std::string>& asked);

struct NamedResult {
    std::string name; // of the file, for messages
    std::string json;
};

struct MergedResult {
    std::string json;
    std::string text;
    int status = 2; // as the command's exit status
};

// Failure CAG505: results of different commands, questions or numbers of parts. What is not a result counts as missing.
[[nodiscard]] Result<MergedResult> merge_results(const std::vector<NamedResult>& results);

} // namespace cag
