// What the output of a failed build or run means. The patterns are data: src/data/log_patterns.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cag {

struct LogFinding {
    std::string id;   // of the pattern
    std::string code; // "CAG301"; "" for none
    std::string cause;
    std::vector<std::string> fixes;
    std::size_t line = 0; // from 1
    std::string text;     // of that line
    std::size_t count = 1;
    bool asynchronous = false; // the line that shows the error is not the guilty one
};

// The likeliest cause first; equal ones are counted.
[[nodiscard]] std::vector<LogFinding> explain_log(std::string_view log);

} // namespace cag
