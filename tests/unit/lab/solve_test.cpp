// The solver: every machine is served, and no shorter list of SASS does it.
#include "lab/solve.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace cag;

namespace {

Lab lab_of(const std::vector<std::pair<std::string, std::string>>& gpus) {
    Lab lab;
    for (const auto& [gpu, driver] : gpus) {
        LabMachine machine;
        machine.name = "m" + std::to_string(lab.machines.size());
        machine.gpus = {{parse_gpu(gpu).value(), 1}};
        if (!driver.empty()) {
            machine.driver = parse_driver(driver).value();
        }
        lab.machines.push_back(machine);
    }
    return lab;
}

std::vector<std::string> texts(const Solution& solution) {
    std::vector<std::string> names;
    for (const Target& target : solution.list()) {
        names.push_back(to_string(target));
    }
    return names;
}

bool all_native(const std::vector<LabPlace>& places, const std::vector<Target>& targets, CudaVersion toolkit) {
    return std::all_of(places.begin(), places.end(),
                       [&](const LabPlace& place) { return outcome_at(place, targets, toolkit).kind == OutcomeKind::sass; });
}

// Whether any set of fewer SASS targets of the toolkit runs natively everywhere: all subsets are tried.
bool fewer_would_do(const std::vector<LabPlace>& places, std::size_t count, CudaVersion toolkit) {
    std::vector<Target> candidates;
    for (const Arch arch : data::find_toolkit(toolkit)->real) {
        if (arch.variant == Variant::plain) {
            candidates.push_back({arch, Code::sass});
        }
    }
    std::vector<Target> chosen;
    const auto search = [&](const auto& self, std::size_t from) -> bool {
        if (!chosen.empty() && all_native(places, chosen, toolkit)) {
            return true;
        }
        if (chosen.size() + 1 >= count) {
            return false;
        }
        for (std::size_t i = from; i < candidates.size(); ++i) {
            chosen.push_back(candidates[i]);
            if (self(self, i + 1)) {
                return true;
            }
            chosen.pop_back();
        }
        return false;
    };
    return count > 1 && search(search, 0);
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("minors of a major share an image, majors and Tegra do not, and one PTX image is for what comes") {
    const Lab lab = lab_of({{"8.6", ""}, {"8.9", ""}, {"9.0", ""}, {"12.0", ""}, {"12.1", ""}});
    const auto places = places_of(lab).value();
    CHECK(texts(solve(places)) == Texts{"sm_86", "sm_90", "sm_120", "compute_120"});
    const Lab orin = lab_of({{"8.0", ""}, {"8.7", ""}, {"8.9", ""}});
    CHECK(texts(solve(places_of(orin).value())) == Texts{"sm_80", "sm_87", "compute_87"});
}

TEST_CASE("the toolkit is the newest that the drivers and the oldest GPU allow") {
    const Lab old = lab_of({{"6.1", "580"}, {"9.0", "580"}});
    const Solution solution = solve(places_of(old).value());
    CHECK(solution.toolkit == CudaVersion{12, 9}); // 13.0 compiles nothing below 7.5
    CHECK(solution.unserved.empty());
    const Lab driver = lab_of({{"8.6", "535"}, {"9.0", "580"}});
    CHECK(solve(places_of(driver).value()).toolkit.major == 12); // a 13.x program stops at error 35 there
}

TEST_CASE("a toolkit that cannot serve a machine says so") {
    const Lab lab = lab_of({{"6.1", ""}, {"9.0", ""}});
    const auto places = places_of(lab).value();
    const Solution solution = solve(places, CudaVersion{13, 0});
    REQUIRE(solution.unserved.size() == 1);
    CHECK(solution.unserved[0].first->machine->name == "m0");
}

TEST_CASE("random labs: the rules confirm what is chosen, each entry is needed, and no fewer would do") {
    const std::vector<std::string> gpus{"7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"};
    std::mt19937 random(2611);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::pair<std::string, std::string>> chosen;
        const std::size_t count = 1 + random() % 6;
        for (std::size_t i = 0; i < count; ++i) {
            chosen.emplace_back(gpus[random() % gpus.size()], "");
        }
        const Lab lab = lab_of(chosen);
        const auto places = places_of(lab).value();
        const Solution solution = solve(places);
        CAPTURE(round, texts(solution), to_string(solution.toolkit));
        REQUIRE(solution.unserved.empty());
        CHECK(all_native(places, solution.list(), solution.toolkit));
        std::size_t sass = 0;
        for (const SolvedTarget& solved : solution.targets) {
            if (solved.target.code == Code::sass) {
                ++sass;
                std::vector<Target> without = solution.list();
                without.erase(std::find(without.begin(), without.end(), solved.target));
                CHECK(!all_native(places, without, solution.toolkit));
                CHECK(!solved.native.empty());
                CHECK(solved.lost.size() + solved.slower.size() > 0);
            }
        }
        if (sass <= 4) {
            CHECK(!fewer_would_do(places, sass, solution.toolkit));
        }
    }
}

TEST_CASE("the example's lab") {
    const auto lab = read_lab(CAG_EXAMPLE_LAB);
    REQUIRE(lab);
    CHECK(lab->machines.size() == 8);
    const auto places = places_of(*lab).value();
    const Solution solution = solve(places);
    CHECK(solution.unserved.empty());
    CHECK(solution.toolkit == CudaVersion{12, 9});
}
