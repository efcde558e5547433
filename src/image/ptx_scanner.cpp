#include "image/ptx_scanner.hpp"

#include <algorithm>
#include <array>

namespace cag::ptx {

namespace {

template <class Predicate>
constexpr std::array<bool, 256> table_of(Predicate holds) {
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = holds(static_cast<char>(i));
    }
    return table;
}

constexpr auto in_word = table_of([](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' || c == '.';
});
constexpr auto is_blank = table_of([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; });
constexpr auto matters = table_of([](char c) { return c == ';' || c == '{' || c == '}' || c == '"' || c == '/'; });

constexpr std::size_t block = 64;

// The first block from `position` on with a brace, a text or what may be a comment in it. Bodies are most of PTX, and few of their blocks
// have any. Written so that the compiler turns it into vector code.
std::size_t skip_plain_blocks(std::string_view text, std::size_t position) {
    for (; text.size() - position >= block; position += block) {
        unsigned char any = 0;
        for (std::size_t i = 0; i < block; ++i) {
            const char c = text[position + i];
            any = static_cast<unsigned char>(any | ((c == '{') | (c == '}') | (c == '"') | (c == '/')));
        }
        if (any != 0) {
            break;
        }
    }
    return position;
}

bool is(const std::array<bool, 256>& table, char c) { return table[static_cast<unsigned char>(c)]; }

} // namespace

bool Scanner::skip_comment() {
    const std::string_view rest = text_.substr(position_);
    const auto go_behind = [&](std::string_view end, std::size_t from) {
        const auto found = text_.find(end, from);
        position_ = found == std::string_view::npos ? text_.size() : found + end.size();
    };
    if (rest.starts_with("//")) {
        go_behind("\n", position_ + 2);
        return true;
    }
    if (rest.starts_with("/*")) {
        go_behind("*/", position_ + 2);
        return true;
    }
    return false;
}

void Scanner::skip_string() {
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
        if (text_[position_] == '\\') {
            ++position_;
        }
    }
    position_ = std::min(position_ + 1, text_.size());
}

void Scanner::skip_blank() {
    while (position_ < text_.size()) {
        if (is(is_blank, text_[position_])) {
            ++position_;
        } else if (text_[position_] != '/' || !skip_comment()) {
            return;
        }
    }
}

std::string_view Scanner::next() {
    skip_blank();
    const std::size_t start = position_;
    if (start == text_.size()) {
        return {};
    }
    if (text_[start] == '"') {
        skip_string();
    } else if (is(in_word, text_[start])) {
        while (position_ < text_.size() && is(in_word, text_[position_])) {
            ++position_;
        }
    } else {
        ++position_;
    }
    return text_.substr(start, position_ - start);
}

std::string_view Scanner::peek() {
    Scanner ahead = *this;
    return ahead.next();
}

char Scanner::skip_past(std::string_view stops) {
    const bool every_statement = stops.find(';') != std::string_view::npos;
    std::size_t looked_to = position_;
    while (position_ < text_.size()) {
        if (!every_statement && position_ >= looked_to) {
            position_ = skip_plain_blocks(text_, position_);
            looked_to = position_ + block;
            continue;
        }
        const char c = text_[position_];
        if (!is(matters, c)) {
            ++position_;
        } else if (c == '"') {
            skip_string();
        } else if (c == '/') {
            if (!skip_comment()) {
                ++position_;
            }
        } else {
            ++position_;
            if (stops.find(c) != std::string_view::npos) {
                return c;
            }
        }
    }
    return '\0';
}

bool Scanner::skip_block(unsigned depth) {
    while (depth > 0) {
        switch (skip_past("{}")) {
        case '{':
            ++depth;
            break;
        case '}':
            --depth;
            break;
        default:
            return false;
        }
    }
    return true;
}

void Scanner::skip_line() { position_ = std::min(text_.find('\n', position_), text_.size()); }

} // namespace cag::ptx
