// Rules 1, 2, 3 and 16: whether one image can serve a GPU at all. Nothing here knows of the other images beside it.
#pragma once

#include "compat/decision.hpp"

#include <string>

namespace cag::compat {

struct Fit {
    enum class Answer : std::uint8_t { no, yes, unsure };
    Answer answer = Answer::no;
    int rule = 0;
    Confidence confidence = Confidence::measured; // of the rule itself; see confidence_in()
    std::string why;
};

[[nodiscard]] Fit sass_fits(Arch arch, const Situation& situation);
[[nodiscard]] Fit ptx_fits(Arch target, const Situation& situation);

} // namespace cag::compat
