// Every damage that a header can have, each with a name that a failing test shows.
#pragma once

#include "support/bytes.hpp"

#include <string>
#include <vector>

namespace cag::test {

// A number in a header.
struct Field {
    std::string name; // "container 1, entry 0: padded size"
    std::size_t offset = 0;
    std::size_t size = 0; // 1, 2, 4 or 8 bytes
};

struct Damage {
    std::string name; // "container 1, entry 0: padded size = 0x0"
    std::size_t offset = 0;
    Bytes bytes; // the whole input, damaged
};

// Each field set to 0, 1, its largest value, half of that, one more and one less than it was; values that change nothing are left out.
[[nodiscard]] std::vector<Damage> damaged_fields(const Bytes& whole, const std::vector<Field>& fields);

// The input cut off before, at and behind each boundary.
[[nodiscard]] std::vector<Damage> cut_short(const Bytes& whole, const std::vector<std::size_t>& boundaries);

} // namespace cag::test
