// Words of PTX text, in one pass. Comments and blanks are skipped; strings are one token.
#pragma once

#include <cstddef>
#include <string_view>

namespace cag::ptx {

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    // The next word (`.visible`, `_Z4workPf`, `9.0`), string with its quotes, or single other character; empty at the end of the text.
    [[nodiscard]] std::string_view next();
    [[nodiscard]] std::string_view peek();

    // Goes behind the next of `stops`, a choice of ";{}", outside comments and strings, and returns it; '\0' at the end of the text.
    [[nodiscard]] char skip_past(std::string_view stops);
    // Goes behind the '}' that closes the block whose '{' was read; false where the text ends first.
    [[nodiscard]] bool skip_block(unsigned depth = 1);
    void skip_line();

    [[nodiscard]] std::size_t position() const { return position_; }

  private:
    // Goes behind the comment or string that starts here; false where a '/' starts no comment.
    bool skip_comment();
    void skip_string();
    void skip_blank();

    std::string_view text_;
    std::size_t position_ = 0;
};

} // namespace cag::ptx
