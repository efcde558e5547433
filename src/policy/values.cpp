#include "policy/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace cag {

std::optional<std::uint64_t> size_of(const nlohmann::json& value) {
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>();
    }
    if (!value.is_string()) {
        return std::nullopt;
    }
    const auto text = value.get<std::string>();
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit = text.substr(static_cast<std::size_t>(stop - text.data()));
    static const std::vector<std::pair<std::string, int>> units{{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    const auto known =
        std::find_if(units.begin(), units.end(), [&](const auto& entry) { return unit == entry.first || unit == " " + entry.first; });
    if (error != std::errc{} || known == units.end() || !(number >= 0) || number > 1e12) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(std::ldexp(number, known->second));
}

} // namespace cag
