// A table of marks: rows of things, columns of architectures or GPUs. Tables wider than the terminal are continued below.
#pragma once

#include "report/style.hpp"

#include <string>
#include <vector>

namespace cag {

struct Matrix {
    struct Row {
        std::string label;
        std::vector<const Mark*> cells; // one a column
    };
    std::string corner;               // what the rows are
    std::vector<std::string> columns; // headings
    std::vector<Row> rows;
};

// The marks stand before the labels where labels are long names (`labels_last`), so that no name has to be cut.
[[nodiscard]] std::string to_text(const Matrix& matrix, const Style& style, bool labels_last = false);

// "● SASS  ○ PTX": the marks that occur in the matrix, with their meanings, in the order given.
struct Meaning {
    const Mark* mark;
    const char* text;
};
[[nodiscard]] std::string legend(const Matrix& matrix, const std::vector<Meaning>& meanings, const Style& style);

} // namespace cag
