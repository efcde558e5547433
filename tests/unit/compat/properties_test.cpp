// What must hold for any set of images, tried on many random ones.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace cag;

namespace {

const std::vector<std::string> gpus = {"7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"};
const std::vector<std::string> targets = {"sm_75",       "sm_80",       "sm_86",        "sm_87",       "sm_89",      "sm_90",
                                          "sm_90a",      "sm_100",      "sm_100a",      "sm_100f",     "sm_103",     "sm_110",
                                          "sm_120",      "sm_120f",     "compute_75",   "compute_80",  "compute_89", "compute_90",
                                          "compute_90a", "compute_100", "compute_100f", "compute_120", "compute_121"};

template <class List>
const auto& any_of(std::mt19937& random, const List& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random)];
}

int rank(const Outcome& outcome) {
    switch (outcome.kind) {
    case OutcomeKind::sass:
        return 3;
    case OutcomeKind::jit:
        return 2;
    case OutcomeKind::unknown:
        return 1;
    case OutcomeKind::fails:
        break;
    }
    return 0;
}

} // namespace

TEST_CASE("one more image never makes an outcome worse, but for newer PTX") {
    std::mt19937 random(20261130);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> chosen;
        for (int i = 0; i < 3; ++i) {
            chosen.push_back(any_of(random, targets));
        }
        const std::string& gpu = any_of(random, gpus);
        const auto before = made::outcome(made::registered(chosen), gpu, "580");
        const std::string added = any_of(random, targets);
        chosen.push_back(added);
        CAPTURE(gpu, chosen);
        CHECK(rank(made::outcome(made::registered(chosen), gpu, "580")) >= rank(before));

        // Rule 4: PTX of too new an ISA may take the place of older PTX, never that of SASS.
        auto images = made::images(chosen);
        images.back() = made::image(added.substr(0, 3) == "sm_" ? "compute_80" : added);
        images.back().ptx_isa = PtxIsa{9, 5};
        const auto after = made::outcome(made::registered_images(images), gpu, "580");
        if (rank(after) < rank(before)) {
            CHECK(made::summary(after) == "fails 222");
            CHECK(before.kind == OutcomeKind::jit);
        }
    }
}

TEST_CASE("every answer has what a reader needs") {
    std::mt19937 random(20261201);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> chosen;
        for (int i = 0; i < 3; ++i) {
            chosen.push_back(any_of(random, targets));
        }
        const std::string& gpu = any_of(random, gpus);
        const std::string driver = any_of(random, std::vector<std::string>{"470", "535", "570", "580", "595", "620", "700"});
        CAPTURE(gpu, driver, chosen);
        const auto outcome = made::outcome(made::registered(chosen), gpu, driver);
        CHECK_FALSE(outcome.reasons.empty());
        CHECK_FALSE(outcome.rules.empty());
        CHECK(outcome.error.has_value() == (outcome.kind == OutcomeKind::fails));
        CHECK(outcome.fixes.empty() == (outcome.kind != OutcomeKind::fails && outcome.kind != OutcomeKind::unknown));
        CHECK(outcome.image.has_value() == (rank(outcome) >= 2));
        CHECK((outcome.confidence == Confidence::measured) <= (gpu == "9.0" && driver == "580"));
        if (outcome.error) {
            CHECK_FALSE(outcome.error->name.empty());
        }
    }
}
