#include "policy/parse.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

std::vector<std::string> texts(const RequirementTexts& given) {
    std::vector<std::string> shown;
    const auto requirements = parse_requirements(given).value();
    for (const Requirement& requirement : requirements) {
        shown.push_back(to_string(requirement));
    }
    return shown;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("each item of a list is a requirement of its own") {
    RequirementTexts given;
    given.sass = {"80,90a", "100f"};
    given.ptx = {"90"};
    CHECK(texts(given) == Texts{"--require-sass 80", "--require-sass 90a", "--require-sass 100f", "--require-ptx 90"});
}

TEST_CASE("the option says whether SASS or PTX is meant, not the spelling") {
    RequirementTexts given;
    given.sass = {"8.6"};
    given.ptx = {"9.0"};
    CHECK(texts(given) == Texts{"--require-sass 86", "--require-ptx 90"});
    given.sass = {"compute_90"};
    CHECK(parse_requirements(given).error().code == "CAG501");
    given.sass = {"90-virtual"};
    CHECK(parse_requirements(given).error().code == "CAG501");
}

TEST_CASE("names of GPUs keep their blanks; each GPU is asked with each driver") {
    RequirementTexts given;
    given.runs_on = {"8.6, RTX 5090"};
    given.drivers = {"570", "580"};
    CHECK(texts(given) == Texts{"--runs-on 8.6 --driver 570", "--runs-on 8.6 --driver 580", "--runs-on RTX 5090 --driver 570",
                                "--runs-on RTX 5090 --driver 580"});
    const auto requirements = parse_requirements(given).value();
    CHECK(requirements[2].gpu->capability == ComputeCapability{12, 0});
}

TEST_CASE("what is not understood is refused with its code") {
    RequirementTexts given;
    given.sass = {"999"};
    CHECK(parse_requirements(given).error().code == "CAG501");
    given = {};
    given.runs_on = {"Voodoo 3"};
    CHECK(parse_requirements(given).error().code == "CAG501");
    given.runs_on = {"9.0"};
    given.drivers = {"newest"};
    CHECK(parse_requirements(given).error().code == "CAG501");
}

TEST_CASE("an environment variable may be empty, but needs its equals sign") {
    CHECK(parse_environment({"A=1=2", "CUDA_VISIBLE_DEVICES="}).value() == Environment{{"A", "1=2"}, {"CUDA_VISIBLE_DEVICES", ""}});
    CHECK(parse_environment({"A"}).error().code == "CAG505");
}
