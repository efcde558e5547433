// JSON with the places of its values, for messages that say line and column.
#pragma once

#include "support/result.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace cag {

struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1; // in bytes, from 1
};

[[nodiscard]] TextPlace place_at(std::string_view text, std::size_t offset);

struct JsonSource {
    nlohmann::json root;
    std::map<std::string, std::size_t> offsets; // of a value, by its JSON pointer ("/require/0/sass")
};

// Failure: what is wrong and the offset of it. A key that stands twice in one object is an error as well: one of them would be ignored.
[[nodiscard]] Result<JsonSource> parse_json(std::string_view text);

} // namespace cag
