// Days of the calendar, as text: dates of this form are compared as text.
#pragma once

#include <string_view>

namespace cag {

// "2028-02-29"; false for a day that the calendar does not have.
[[nodiscard]] bool is_date(std::string_view text);

} // namespace cag
