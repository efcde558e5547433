#include "policy/kernel_names.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

TEST_CASE("static functions of relocatable code are shown without the tag of their file") {
    CHECK(demangled("__nv_static_32__740a0e8b_12_some_file_cu__Z2gov__Z5scalePf") == "scale(float*)");
    CHECK(demangled("__nv_static_32__740a0e8b_12_some_file_cu__Z2gov_plain") == "plain");
    CHECK(demangled("__nv_static_99_short") == "__nv_static_99_short");
}

TEST_CASE("mangled names are shown as they are written in the source") {
    CHECK(demangled("_Z5scalePff") == "scale(float*, float)");
    CHECK(demangled("_ZN2ns4gemmIfLi128EEEvPT_") == "void ns::gemm<float, 128>(float*)");
}

TEST_CASE("names of extern \"C\" kernels are no types, and broken names stay as they are") {
    CHECK(demangled("f") == "f"); // c++filt -t would say float
    CHECK(demangled("_Zbroken") == "_Zbroken");
}

TEST_CASE("of names too long for the C++ runtime's demangler, which CUTLASS makes, the beginning is shown") {
    std::string argument = "i";
    for (int depth = 0; depth < 3000; ++depth) {
        argument = "N1a1bI" + argument + "EE";
    }
    CHECK(demangled("_ZN7cutlass6KernelI" + argument + "EEvT_") == "cutlass::Kernel<...>(...)");
    CHECK(demangled("_Z4gemmI" + argument + "EvT_") == "gemm<...>(...)");
    CHECK(list_kernels({"_Z4gemmI" + argument + "EvT_", "_Z4gemmI" + argument + "EvS_", "other"}) ==
          "2 instances of gemm<...>(...) and other");
}

TEST_CASE("a list names a few kernels and counts the others") {
    CHECK(list_kernels({}).empty());
    CHECK(list_kernels({"a"}) == "a");
    CHECK(list_kernels({"a", "b", "c"}) == "a, b and c");
    CHECK(list_kernels({"a", "b", "c", "d", "e"}) == "a, b, c and 2 more");
}

TEST_CASE("long names lose their parameters, then their middle") {
    const std::string parameters = "_Z4gemmPKfS0_S0_S0_S0_S0_S0_S0_S0_Pf";
    CHECK(short_name(parameters) == "gemm(...)");
    const std::string arguments = "_Z4gemmI" + std::string(60, 'f') + "EvPT_";
    CHECK(short_name(arguments).size() == 64);
    CHECK(short_name(arguments).find("...") != std::string::npos);
    CHECK(short_name("_Z5scalePff") == "scale(float*, float)");
}
