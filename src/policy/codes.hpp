// The registry of diagnostic codes: the one place that says what CAG101 means. `cuda-arch-guard rule`, the reports, docs/codes.md and
// completion read it; its texts are src/data/rules.json. A code never changes its meaning; one that is no longer used stays reserved.
#pragma once

#include "policy/requirement.hpp"

#include <span>
#include <string>
#include <string_view>

namespace cag {

struct DiagnosticCode {
    std::string_view name;  // "CAG101"
    Level level;            // how it is reported where nothing changes it
    std::string_view title; // one line, no full stop
    std::string_view what;  // was found
    std::string_view why;   // it matters
    std::string_view how;   // to put it right
    std::string_view fix;   // the same as one line
    std::string_view example;
};

// All codes in the order of their numbers: 1xx coverage, 2xx build hygiene, 3xx driver and toolkit, 4xx input and format,
// 5xx configuration, 9xx internal.
[[nodiscard]] std::span<const DiagnosticCode> all_codes();

// By name, in any case and with or without the prefix ("cag101", "101"); nullptr where there is none.
[[nodiscard]] const DiagnosticCode* find_code(std::string_view name);

// The code that says today what a retired one once said; nullptr where `name` is not retired.
[[nodiscard]] const DiagnosticCode* successor_of(std::string_view name);

// False for what says that input could not be read or understood: no policy can excuse that.
[[nodiscard]] bool is_waivable(const DiagnosticCode& code);

} // namespace cag
