// Where results and messages go: results to standard output, everything else to standard error.
#pragma once

#include "cli/options.hpp"
#include "policy/requirement.hpp"
#include "report/style.hpp"
#include "support/result.hpp"

#include <string>

namespace cag {

inline constexpr int status_holds = 0;
inline constexpr int status_fails = 1;
inline constexpr int status_undecided = 2;

[[nodiscard]] constexpr int status_of(Verdict verdict) {
    return verdict == Verdict::pass ? status_holds : verdict == Verdict::fail ? status_fails : status_undecided;
}

// Colours, symbols and width for standard output, from the options, the environment and the terminal.
[[nodiscard]] Style style_of(const OutputOptions& options);

// Prints a result. Returns `status`, or "undecided" where it could not be written completely: a gate must not pass on a result that nobody
// got.
[[nodiscard]] int finish(const std::string& result, int status);

// Says why there is no result; with --format json also as a document.
[[nodiscard]] int give_up(const char* command, const OutputOptions& options, const Problem& problem);

void print_note(const std::string& text);

} // namespace cag
