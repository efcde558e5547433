#include "report/matrix.hpp"

#include <algorithm>

namespace cag {
namespace {

constexpr std::size_t gap = 2;        // blanks between columns
constexpr std::size_t min_label = 30; // so much of a label is shown however many columns there are

std::size_t label_width(const Matrix& matrix) {
    std::size_t width = columns(matrix.corner);
    for (const auto& row : matrix.rows) {
        width = std::max(width, columns(row.label));
    }
    return width;
}

std::string centred(const std::string& text, std::size_t width) {
    const std::size_t free = width - std::min(width, columns(text));
    return std::string(free / 2, ' ') + text + std::string(free - free / 2, ' ');
}

// The columns [first, last) that fit beside a label of this width; at least one.
std::size_t columns_that_fit(const Matrix& matrix, std::size_t first, std::size_t room) {
    std::size_t last = first;
    std::size_t used = 0;
    while (last < matrix.columns.size()) {
        used += gap + columns(matrix.columns[last]);
        if (used > room && last > first) {
            break;
        }
        ++last;
    }
    return last;
}

std::string without_trailing_blanks(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

std::string block(const Matrix& matrix, std::size_t first, std::size_t last, std::size_t label, const Style& style, bool labels_last) {
    const auto line = [&](const std::string& name, const auto& cell) {
        std::string cells;
        for (std::size_t column = first; column < last; ++column) {
            cells += std::string(gap, ' ') + cell(column);
        }
        return without_trailing_blanks(labels_last ? cells + "  " + name : "  " + fit(style, name, label) + cells);
    };
    std::string text = line(matrix.corner, [&](std::size_t column) { return matrix.columns[column]; });
    for (const auto& row : matrix.rows) {
        text += line(row.label,
                     [&](std::size_t column) { return centred(row.cells[column]->painted(style), columns(matrix.columns[column])); });
    }
    return text;
}

} // namespace

std::string to_text(const Matrix& matrix, const Style& style, bool labels_last) {
    std::size_t all = 0;
    for (const auto& heading : matrix.columns) {
        all += gap + columns(heading);
    }
    const std::size_t room = style.width > gap ? style.width - gap : 0;
    std::size_t label = label_width(matrix);
    if (label + all > room) {
        label = std::min(label, std::max(min_label, room > all ? room - all : 0));
    }
    const std::size_t room_for_cells = labels_last ? room : room - std::min(room, label);
    std::string text;
    for (std::size_t first = 0; first < matrix.columns.size();) {
        const std::size_t last = columns_that_fit(matrix, first, room_for_cells);
        text += (first == 0 ? "" : "\n") + block(matrix, first, last, label, style, labels_last);
        first = last;
    }
    return text;
}

std::string legend(const Matrix& matrix, const std::vector<Meaning>& meanings, const Style& style) {
    std::string text;
    std::size_t column = 0;
    for (const auto& meaning : meanings) {
        const bool used = std::any_of(matrix.rows.begin(), matrix.rows.end(), [&](const Matrix::Row& row) {
            return std::find(row.cells.begin(), row.cells.end(), meaning.mark) != row.cells.end();
        });
        if (!used) {
            continue;
        }
        const std::string item = "  " + meaning.mark->painted(style) + ' ' + meaning.text;
        if (column != 0 && column + columns(item) > style.width) {
            text += '\n';
            column = 0;
        }
        text += item;
        column += columns(item);
    }
    return text.empty() ? text : text + '\n';
}

} // namespace cag
