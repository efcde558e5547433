#include "report/matrix.hpp"
#include "report/style.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

TEST_CASE("nothing in a name can control the terminal") {
    CHECK(printable("a\x1b[2Jb") == "a\\x1b[2Jb");
    CHECK(printable("two\nlines\x7f") == "two\\x0alines\\x7f");
    CHECK(printable("\xc2\x9b"
                    "31m") == "\\xc2\\x9b31m"); // C1 control: an escape in one character
}

TEST_CASE("UTF-8 is kept, and bytes that are not UTF-8 are shown as numbers") {
    CHECK(printable("Größe €") == "Größe €");
    CHECK(printable("\xff\xe2\x82") == "\\xff\\xe2\\x82");
    CHECK(printable("\xc0\xaf\xed\xa0\x80") == "\\xc0\\xaf\\xed\\xa0\\x80"); // overlong form, surrogate
}

TEST_CASE("columns are counted without escapes and by characters") {
    CHECK(columns("●○") == 2);
    CHECK(columns("\x1b[31mred\x1b[0m") == 3);
}

TEST_CASE("a long name is cut in the middle, where names differ least") {
    const Style style{false, true, 80};
    CHECK(fit(style, "abc", 5) == "abc  ");
    CHECK(fit(style, "abcdefghij", 7) == "abc…hij");
    CHECK(fit({false, false, 80}, "abcdefghij", 8) == "abc..hij");
    CHECK(fit(style, "äöüäöüäöü", 5) == "äö…öü");
}

TEST_CASE("text is wrapped at blanks and indented below its first word") {
    CHECK(wrapped({false, true, 16}, "  * ", "one two three four") == "  * one two\n    three four\n");
    CHECK(wrapped({false, true, 10}, "", "unbreakable-word x") == "unbreakable-word\nx\n");
}

TEST_CASE("numbers are joined to ranges") {
    CHECK(ranges({0, 2, 3, 4, 7}) == "0, 2-4, 7");
    CHECK(ranges({5}) == "5");
    CHECK(ranges({0, 2, 4, 6, 7, 9}, 2) == "0, 2 and 4 more");
}

TEST_CASE("byte sizes have binary units") {
    CHECK(byte_size(0) == "0 B");
    CHECK(byte_size(1023) == "1023 B");
    CHECK(byte_size(1536) == "1.5 KiB");
    CHECK(byte_size(std::uint64_t{542} << 20) == "542.0 MiB");
}

TEST_CASE("a matrix wider than the terminal goes on below") {
    Matrix matrix{"module", {}, {{"module 0", {}}}};
    for (int i = 0; i < 30; ++i) {
        matrix.columns.emplace_back("120a");
        matrix.rows[0].cells.push_back(&marks::sass);
    }
    const std::string text = to_text(matrix, {false, true, 80});
    std::size_t cells = 0;
    for (std::size_t at = text.find("●"); at != std::string::npos; at = text.find("●", at + 1)) {
        ++cells;
    }
    CHECK(cells == 30);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
        CHECK(columns(text.substr(begin, end - begin)) <= 80);
    }
}

TEST_CASE("the legend explains the marks that occur, and no others") {
    const Matrix matrix{"", {"80"}, {{"a", {&marks::ptx}}}};
    CHECK(legend(matrix, {{&marks::sass, "SASS"}, {&marks::ptx, "PTX"}}, {}) == "  ○ PTX\n");
}
