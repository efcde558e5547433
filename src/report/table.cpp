#include "report/table.hpp"

#include <algorithm>

namespace cag {

std::string table_text(const Style& style, const std::vector<TableRow>& rows, bool heading) {
    std::vector<std::size_t> widths;
    for (const TableRow& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], columns(row[i]));
        }
    }
    std::string text;
    for (const TableRow& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += "  " + row[i] + std::string(i + 1 < row.size() ? widths[i] - columns(row[i]) : 0, ' ');
        }
        text += (heading && &row == &rows.front() ? paint(style, Ink::quiet, line) : line) + '\n';
    }
    return text;
}

} // namespace cag
