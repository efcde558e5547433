// What must hold for any set of images, tried on many random ones.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
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

// What a fix costs, told by what it asks for.
int cost(const std::string& fix) {
    const std::vector<std::string> by_cost = {"unset ", "take a build", "update the driver", "rebuild"};
    for (std::size_t i = 0; i < by_cost.size(); ++i) {
        if (fix.rfind(by_cost[i], 0) == 0) {
            return static_cast<int>(i);
        }
    }
    return static_cast<int>(by_cost.size()); // what goes with a rebuild
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

TEST_CASE("every answer has what a reader needs, the cheapest fix first") {
    std::mt19937 random(20261201);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> chosen;
        for (int i = 0; i < 3; ++i) {
            chosen.push_back(any_of(random, targets));
        }
        const std::string& gpu = any_of(random, gpus);
        const std::string driver = any_of(random, std::vector<std::string>{"470", "535", "570", "580", "595", "620", "700"});
        CAPTURE(gpu, driver, chosen);
        auto images = made::images(chosen);
        images.front().ptx_isa = PtxIsa{9, 5}; // of the newest toolkit, where it is PTX
        const Environment environment = round % 4 == 0 ? Environment{{"CUDA_FORCE_PTX_JIT", "1"}} : Environment();
        const auto outcome = made::outcome(made::registered_images(images), gpu, driver, environment);
        CHECK_FALSE(outcome.reasons.empty());
        CHECK_FALSE(outcome.rules.empty());
        CHECK(outcome.error.has_value() == (outcome.kind == OutcomeKind::fails));
        CHECK(outcome.fixes.empty() == (outcome.kind != OutcomeKind::fails && outcome.kind != OutcomeKind::unknown));
        CHECK(std::is_sorted(outcome.fixes.begin(), outcome.fixes.end(),
                             [](const auto& left, const auto& right) { return cost(left) < cost(right); }));
        CHECK(outcome.image.has_value() == (rank(outcome) >= 2));
        CHECK((outcome.confidence == Confidence::measured) <= (gpu == "9.0" && driver == "580"));
        if (outcome.error) {
            CHECK_FALSE(outcome.error->name.empty());
        }
    }
}
