// One word of an architecture list, taken apart: "sm_90a", "86-real", "8.6+PTX" and the mixtures that people write by mistake.
#pragma once

#include "arch/spec.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag::detail {

// <prefix><number>[.<minor>][a|f]<ending>, in lower case. Numbers are kept as text: "9" and "091" are mistakes to be named.
struct Spelling {
    std::string prefix; // "", "sm_", "compute_", or what else stands before the first digit
    std::string number; // "86", or "8" before a dot
    std::optional<std::string> minor;
    std::string letter; // "", "a", "f"
    std::string ending; // "", "-real", "-virtual", "+ptx", or what else follows
};

// nullopt: no digits, or a space in it; then it can only be a name.
[[nodiscard]] std::optional<Spelling> take_apart(std::string_view lower_case);

// The targets of a correct spelling; nullopt for any other.
[[nodiscard]] std::optional<std::vector<Target>> targets_of(const Spelling& spelling);

// What was probably meant by a text that is neither a correct spelling nor a name: "write 86 or 8.6+PTX"; "" where nothing is known.
[[nodiscard]] std::string probable_meaning(std::string_view lower_case);

} // namespace cag::detail
