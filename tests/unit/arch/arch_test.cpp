#include <cudaarchguard/arch.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cag;

TEST_CASE("architectures are read in the spellings of nvcc and printed as CMake writes them") {
    CHECK(parse_arch("90a") == Arch{9, 0, Variant::arch_specific});
    CHECK(parse_arch("sm_100f") == Arch{10, 0, Variant::family_specific});
    CHECK(parse_arch("compute_75") == Arch{7, 5, Variant::plain});
    CHECK(to_string(Arch{12, 0, Variant::arch_specific}) == "120a");
    CHECK(arch_from_number(121).capability() == ComputeCapability{12, 1});
}

TEST_CASE("what is not an architecture is not read as one") {
    for (const char* text : {"", "9", "9.0", "sm_", "sm90", "90b", "90aa", "sm_sm_90", "-90", "+90", " 90", "1000"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_arch(text));
    }
}

TEST_CASE("compute capabilities have a major number, a dot and one digit") {
    CHECK(parse_capability("12.1") == ComputeCapability{12, 1});
    CHECK(to_string(ComputeCapability{9, 0}) == "9.0");
    for (const char* text : {"9", "9.", ".0", "9.00", "0.9", "9.0a", "a.b", "9.0.0"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_capability(text));
    }
}

TEST_CASE("architectures are ordered by number, then plain, f, a") {
    CHECK(*parse_arch("75") < *parse_arch("100")); // as text it would be the other way round
    CHECK(*parse_arch("100") < *parse_arch("100f"));
    CHECK(*parse_arch("100f") < *parse_arch("100a"));
    CHECK(*parse_arch("100a") < *parse_arch("103"));
}
