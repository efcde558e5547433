#include "support/suggest.hpp"

#include <algorithm>

namespace cag {
namespace {

// Insertions, deletions, replacements and swapped neighbours (optimal string alignment).
std::size_t typing_errors(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before;
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = last;
        last = row;
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
    std::string best;
    std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& name : names) {
        if (const std::size_t errors = typing_errors(word, name); errors < fewest) {
            fewest = errors;
            best = name;
        }
    }
    return best;
}

} // namespace cag
