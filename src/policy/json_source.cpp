#include "policy/json_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace cag {
namespace {

using nlohmann::json;

// Characters of a text, with a note of how far the parser has read.
class Reading {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Reading(const char* at, const char** reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    Reading& operator++() {
        *reached_ = ++at_;
        return *this;
    }
    bool operator==(const Reading& other) const { return at_ == other.at_; }
    bool operator!=(const Reading& other) const { return at_ != other.at_; }

  private:
    const char* at_;
    const char** reached_;
};

// Follows the parser through the document and notes where each value begins.
class Places : public nlohmann::json_sax<json> {
  public:
    Places(std::string_view text, const char* const* reached) : text_(text), reached_(reached) {}

    bool null() override { return value(); }
    bool boolean(bool /*unused*/) override { return value(); }
    bool number_integer(number_integer_t /*unused*/) override { return value(); }
    bool number_unsigned(number_unsigned_t /*unused*/) override { return value(); }
    bool number_float(number_float_t /*unused*/, const string_t& /*unused*/) override { return value(); }
    bool string(string_t& /*unused*/) override { return value(); }
    bool binary(binary_t& /*unused*/) override { return value(); }
    bool start_object(std::size_t /*unused*/) override { return open(false); }
    bool start_array(std::size_t /*unused*/) override { return open(true); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        auto& keys = open_.back().keys;
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
            error = Problem{"CAG508", fmt::format("the key `{}` stands twice in one object; only one of them would count", name), start()};
            return false;
        }
        keys.push_back(name);
        consumed();
        return true;
    }
    bool parse_error(std::size_t position, const std::string& /*unused*/, const nlohmann::detail::exception& exception) override {
        std::string message = exception.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the place is said by the caller.
        if (const auto words = message.find(": "); words != std::string::npos) {
            message = message.substr(words + 2);
        }
        error = Problem{"CAG508", "expected JSON, found: " + message, position == 0 ? 0 : position - 1};
        return false;
    }

    std::map<std::string, std::size_t> offsets;
    std::optional<Problem> error;

  private:
    struct Open {
        bool is_array = false;
        std::size_t index = 0;
        std::vector<std::string> keys;
    };

    // Where the token begins that was just read: behind the last one and what separates them.
    [[nodiscard]] std::size_t start() const { return std::min(text_.find_first_not_of(" \t\r\n,:", last_), text_.size()); }
    void consumed() { last_ = static_cast<std::size_t>(*reached_ - text_.data()); }

    [[nodiscard]] std::string pointer() const {
        json::json_pointer path;
        for (const Open& level : open_) {
            if (level.is_array) {
                path /= level.index;
            } else {
                path /= level.keys.back();
            }
        }
        return path.to_string();
    }
    bool value() {
        offsets[pointer()] = start();
        consumed();
        return passed();
    }
    bool passed() {
        if (!open_.empty()) {
            ++open_.back().index;
        }
        return true;
    }
    bool open(bool is_array) {
        offsets[pointer()] = start();
        consumed();
        open_.push_back({is_array, 0, {}});
        return true;
    }
    bool close() {
        consumed();
        open_.pop_back();
        return passed();
    }

    std::string_view text_;
    const char* const* reached_;
    std::size_t last_ = 0;
    std::vector<Open> open_;
};

} // namespace

TextPlace place_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {static_cast<std::size_t>(lines) + 1, before.size() - line_start + 1};
}

Result<JsonSource> parse_json(std::string_view text) {
    const char* reached = text.data();
    Places places{text, &reached};
    json::sax_parse(Reading{text.data(), &reached}, Reading{text.data() + text.size(), &reached}, &places);
    if (places.error) {
        return tl::unexpected(*places.error);
    }
    return JsonSource{json::parse(text), std::move(places.offsets)};
}

} // namespace cag
