// The lab file: what it means, and what is refused.
#include "lab/lab.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace cag;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string lab_with(const std::string& machine, const std::string& rest = "") {
    return R"({"lab_version": 1, "machines": [)" + machine + "]" + rest + "}";
}

std::string refusal(const std::string& text) {
    const auto lab = parse_lab(text);
    return lab ? "accepted" : lab.error().message;
}

} // namespace

TEST_CASE("machines, GPUs by any name, drivers and groups") {
    const auto lab =
        parse_lab(lab_with(R"({"name": "a", "gpus": ["RTX 3090", {"gpu": "9.0", "count": 8}], "driver": "580.95.05", "tags": ["t"]},
                                           {"name": "b", "gpus": ["sm_61"]})",
                           R"(, "groups": {"g": {"tags": ["t"], "jit": false}, "h": {"machines": ["a", "b"], "requirement": "should"}})"));
    REQUIRE(lab);
    REQUIRE(lab->machines.size() == 2);
    CHECK(lab->machines[0].gpus[1].count == 8);
    CHECK(lab->machines[0].driver->branch == 580);
    CHECK(need_of(*lab, lab->machines[0]).need == Need::must); // the strictest of its groups
    CHECK(!need_of(*lab, lab->machines[0]).jit);
    CHECK(need_of(*lab, lab->machines[1]).need == Need::should);
    const auto places = places_of(*lab, {"g"});
    REQUIRE(places);
    REQUIRE(places->size() == 2);
    CHECK((*places)[0].gpu.capability == ComputeCapability{8, 6});
    CHECK(places_of(*lab, {"b"})->at(0).driver.branch == 580); // the last that drives 6.1
    CHECK_THAT(places_of(*lab, {"c"}).error().message, ContainsSubstring("found `c`; there are a, b, g, h"));
}

TEST_CASE("what is wrong in a lab file is named with its place and what is allowed") {
    CHECK_THAT(refusal("{"), ContainsSubstring("expected JSON"));
    CHECK_THAT(refusal("{}"), ContainsSubstring("lab_version: expected 1, found none"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["RTX 9999"]})")), ContainsSubstring("machine a.gpus"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": []})")), ContainsSubstring("expected a list of GPUs"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpu": ["9.0"]})")), ContainsSubstring("found \"gpu\""));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "driver": "new"})")), ContainsSubstring("machine a.driver"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "from": "soon"})")), ContainsSubstring("expected a date"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "from": "2026-13-01"})")), ContainsSubstring("expected a date"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "from": "2026-12-01", "until": "2026-11-01"})")),
               ContainsSubstring("machine a.until: expected a day from 2026-12-01 on"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "environment": {"A": 1}})")),
               ContainsSubstring("environment.A: expected a text"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"], "count": 0})")), ContainsSubstring("from 1 on"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"]}, {"name": "a", "gpus": ["9.0"]})")), ContainsSubstring("`a` twice"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"]})", R"(, "groups": {"g": {"machines": ["b"]}})")),
               ContainsSubstring("found `b`"));
    CHECK_THAT(refusal(lab_with(R"({"name": "a", "gpus": ["9.0"]})", R"(, "groups": {"g": {"requirement": "may"}})")),
               ContainsSubstring("expected must or should"));
}
