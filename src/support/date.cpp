#include "support/date.hpp"

#include <charconv>
#include <chrono>

namespace cag {

bool is_date(std::string_view text) {
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    const auto number = [&](std::size_t at, std::size_t digits, unsigned& value) {
        const char* end = text.data() + at + digits;
        const auto [stop, error] = std::from_chars(text.data() + at, end, value);
        return error == std::errc{} && stop == end;
    };
    return text.size() == 10 && text[4] == '-' && text[7] == '-' && number(0, 4, year) && number(5, 2, month) && number(8, 2, day) &&
           std::chrono::year_month_day{std::chrono::year{static_cast<int>(year)}, std::chrono::month{month}, std::chrono::day{day}}.ok();
}

} // namespace cag
