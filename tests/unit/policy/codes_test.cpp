#include "policy/codes.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

TEST_CASE("codes are found in any case, with and without their prefix") {
    REQUIRE(find_code("CAG101") != nullptr);
    CHECK(find_code("cag101") == find_code("CAG101"));
    CHECK(find_code("101") == find_code("CAG101"));
    CHECK(find_code("CAG999") == nullptr);
    CHECK(find_code("") == nullptr);
}

TEST_CASE("every code is explained, and listed once in the order of the numbers") {
    std::string last;
    for (const DiagnosticCode& code : all_codes()) {
        INFO(code.name);
        CHECK(code.name.size() == 6);
        CHECK(last < code.name);
        CHECK(code.title.size() > 10);
        CHECK_FALSE(code.title.ends_with('.'));
        for (const std::string_view sentence : {code.what, code.why, code.how}) {
            CHECK(sentence.size() > 20);
            CHECK(sentence.ends_with('.'));
        }
        CHECK(code.fix.size() > 10);
        CHECK_FALSE(code.fix.ends_with('.')); // a line to paste or to follow, among other fixes
        CHECK(code.example.size() > 10);
        last = code.name;
    }
}

TEST_CASE("a code that is no longer used leads to the one that says it today, and is given to nothing else") {
    REQUIRE(successor_of("CAG304") != nullptr);
    CHECK(successor_of("cag304")->name == "CAG103");
    CHECK(successor_of("CAG101") == nullptr);
    CHECK(find_code("CAG304") == nullptr);
}
