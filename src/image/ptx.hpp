// A PTX module: what its directives declare.
#pragma once

#include "support/limits.hpp"
#include "support/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag::ptx {

struct Header {
    PtxIsa isa;
    Arch target;
    bool debug = false;
    std::string toolkit; // from the comment of nvcc -ptx; PTX inside fatbins has none
};

struct Contents {
    std::vector<Kernel> kernels;
    std::vector<std::string> functions;
    std::vector<std::string> undefined; // functions declared .extern and not defined
    bool has_variables = false;
};

// `.version` and `.target`, which come before all else but comments. Offsets of problems count from the start of the text.
[[nodiscard]] Result<Header> read_header(std::string_view text);
// Where the first character lies that PTX does not have outside comments and strings; nullopt where all is well.
[[nodiscard]] std::optional<std::size_t> foreign_character(std::string_view text);
[[nodiscard]] Result<Contents> read_contents(std::string_view text, const Limits& limits);

} // namespace cag::ptx
