// The solver: every machine is served, and no smaller set of images does it; what is known about the list then.
#include "lab/estimate.hpp"
#include "lab/outlook.hpp"
#include "lab/stack.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
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

// What a set of images does for a lab: first the places that must run and do not, then all that do not, then those that compile PTX, then
// the number of images. Smaller is better.
using Worth = std::array<std::size_t, 4>;

Worth worth_of(const std::vector<LabPlace>& places, const std::vector<Target>& targets, CudaVersion toolkit) {
    Worth worth{0, 0, 0, targets.size()};
    for (const LabPlace& place : places) {
        const Outcome outcome = outcome_at(place, targets, toolkit);
        const bool served = outcome.kind == OutcomeKind::sass || (outcome.kind == OutcomeKind::jit && place.need.jit);
        worth[0] += !served && place.need.need == Need::must ? 1U : 0U;
        worth[1] += served ? 0U : 1U;
        worth[2] += served && outcome.kind == OutcomeKind::jit ? 1U : 0U;
    }
    return worth;
}

// The best of all subsets of the toolkit's plain SASS targets with at most one PTX target. Left out are targets that alone run nowhere
// here: images that serve no place can only add to a set.
Worth best_of_all_subsets(const std::vector<LabPlace>& places, CudaVersion toolkit) {
    const auto helps = [&](const Target& target) {
        return std::any_of(places.begin(), places.end(), [&](const LabPlace& place) {
            const OutcomeKind kind = outcome_at(place, {target}, toolkit).kind;
            return kind == OutcomeKind::sass || kind == OutcomeKind::jit;
        });
    };
    std::vector<Target> sass;
    std::vector<std::optional<Target>> ptx{std::nullopt};
    for (const Arch arch : data::find_toolkit(toolkit)->real) {
        if (arch.variant == Variant::plain && helps({arch, Code::sass})) {
            sass.push_back({arch, Code::sass});
        }
    }
    for (const Arch arch : data::find_toolkit(toolkit)->virtual_archs) {
        if (arch.variant == Variant::plain && helps({arch, Code::ptx})) {
            ptx.emplace_back(Target{arch, Code::ptx});
        }
    }
    std::optional<Worth> best;
    for (std::size_t bits = 0; bits < (std::size_t{1} << sass.size()); ++bits) {
        for (const auto& reserve : ptx) {
            std::vector<Target> chosen;
            for (std::size_t i = 0; i < sass.size(); ++i) {
                if ((bits >> i) & 1U) {
                    chosen.push_back(sass[i]);
                }
            }
            if (reserve) {
                chosen.push_back(*reserve);
            }
            const Worth worth = worth_of(places, chosen, toolkit);
            best = best ? std::min(*best, worth) : worth;
        }
    }
    return *best;
}

// Without the reserve, which no machine needs.
std::vector<Target> needed(const Solution& solution) {
    std::vector<Target> targets;
    for (const SolvedTarget& solved : solution.targets) {
        if (!solved.reserve) {
            targets.push_back(solved.target);
        }
    }
    return targets;
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

TEST_CASE("the toolkit is the machines' own where it serves them all") {
    Lab lab = lab_of({{"H200", "580"}, {"RTX 4060 Ti", "580"}});
    lab.machines[0].toolkits = {{12, 4}, {13, 0}};
    lab.machines[1].toolkits = {{12, 8}};
    CHECK(solve(places_of(lab).value()).toolkit ==
          CudaVersion{12, 8}); // the other machine has a newer one, which could build this list too
    CHECK(solve(places_of(lab, {"m0"}).value()).toolkit == CudaVersion{13, 0});
    CHECK(solve(places_of(lab).value(), CudaVersion{13, 5}).toolkit == CudaVersion{13, 5}); // asked for
    lab.machines[1].toolkits.clear();
    CHECK(solve(places_of(lab).value()).toolkit == CudaVersion{13, 0}); // it does not say
    lab.machines[1].gpus = {{parse_gpu("GTX 1080").value(), 1}};
    CHECK(solve(places_of(lab).value()).toolkit == CudaVersion{12, 9}); // 13.0 compiles nothing for it
}

TEST_CASE("a toolkit that cannot serve a machine says so") {
    const Lab lab = lab_of({{"6.1", ""}, {"9.0", ""}});
    const auto places = places_of(lab).value();
    const Solution solution = solve(places, CudaVersion{13, 0});
    REQUIRE(solution.unserved.size() == 1);
    CHECK(solution.unserved[0].first->machine->name == "m0");
}

TEST_CASE("GPUs newer than the toolkit are served by PTX, where the driver compiles it and the machine may") {
    const Lab lab = lab_of({{"9.0", ""}, {"12.0", ""}});
    const auto places = places_of(lab).value();
    CHECK(texts(solve(places, CudaVersion{12, 4})) == Texts{"sm_90", "compute_90"});
    CHECK(!solve(places, CudaVersion{12, 4}).targets.back().reserve);
    CHECK(texts(solve(places_of(lab_of({{"12.0", ""}})).value(), CudaVersion{12, 4})) == Texts{"compute_90"}); // no SASS at all
    // Of two GPUs that only PTX serves the lower decides.
    CHECK(texts(solve(places_of(lab_of({{"8.7", ""}, {"12.0", ""}})).value(), CudaVersion{11, 2})) == Texts{"compute_86"});
    Lab strict = lab_of({{"9.0", ""}, {"12.0", ""}});
    strict.groups.push_back({"no-jit", {"m1"}, {}, Need::must, false});
    const auto strict_places = places_of(strict).value();
    CHECK(solve(strict_places, CudaVersion{12, 4}).unserved.size() == 1);
    CHECK(solve(strict_places).unserved.empty()); // another toolkit does it
    // PTX of 13.0 is too new for that driver: an older toolkit is taken, whose PTX it compiles.
    Lab jit = lab_of({{"9.0", "535"}});
    jit.machines[0].environment["CUDA_FORCE_PTX_JIT"] = "1";
    const auto forced_places = places_of(jit).value();
    const Solution forced = solve(forced_places);
    CHECK(forced.toolkit == CudaVersion{12, 2});
    CHECK(forced.unserved.empty());
}

TEST_CASE("random labs: the rules confirm what is chosen, and no set of images does better") {
    const std::vector<std::string> gpus{"6.1", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"};
    const std::vector<std::string> drivers{"", "", "470", "535", "550", "570", "580", "590"};
    const std::vector<CudaVersion> toolkits{{11, 2}, {11, 8}, {12, 4}, {12, 8}, {12, 9}, {13, 0}, {13, 5}};
    std::mt19937 random(2611);
    const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
    for (int round = 0; round < 60; ++round) {
        std::vector<std::pair<std::string, std::string>> chosen;
        for (std::size_t i = 1 + random() % 4; i > 0; --i) {
            chosen.emplace_back(pick(gpus), pick(drivers));
        }
        Lab lab = lab_of(chosen);
        lab.groups.push_back({"some", {"m0"}, {}, random() % 3 == 0 ? Need::should : Need::must, random() % 3 != 0});
        const auto places = places_of(lab).value();
        const CudaVersion toolkit = pick(toolkits);
        const Solution solution = solve(places, toolkit);
        CAPTURE(round, chosen, texts(solution), to_string(toolkit));
        const Worth worth = worth_of(places, needed(solution), toolkit);
        CHECK(worth == best_of_all_subsets(places, toolkit));
        CHECK(worth[1] == solution.unserved.size());
        CHECK(worth_of(places, solution.list(), toolkit)[1] == worth[1]); // the reserve harms nobody
        for (const Target& target : needed(solution)) {
            std::vector<Target> without = needed(solution);
            without.erase(std::find(without.begin(), without.end(), target));
            const Worth less = worth_of(places, without, toolkit);
            CHECK((less[1] > worth[1] || less[2] > worth[2])); // a machine stops, or compiles PTX where it did not
        }
        const Solution free = solve(places); // left to choose, it finds a toolkit that does no worse
        CHECK(worth_of(places, needed(free), free.toolkit)[0] <= worth[0]);
    }
}

TEST_CASE("dates: a machine that is gone is not built for; one to come is, and nothing is required there yet") {
    Lab lab = lab_of({{"6.1", ""}, {"9.0", ""}, {"10.3", ""}});
    lab.machines[0].until = "2026-06-30";
    lab.machines[2].from = "2027-02-01";
    const auto now = places_of(lab, {}, "2026-11-30").value();
    REQUIRE(now.size() == 2);
    CHECK(now[0].must_run_now());
    CHECK(!now[1].must_run_now());
    CHECK(texts(solve(now)) == Texts{"sm_90", "sm_103", "compute_103"});
    CHECK(places_of(lab, {}, "2027-02-01").value()[1].must_run_now());
    CHECK(places_of(lab, {}, "2026-06-30").value().size() == 3);
}

TEST_CASE("what the next driver and the next toolkit take away") {
    const Lab lab = lab_of({{"6.1", "580"}, {"9.0", "570"}});
    const auto places = places_of(lab).value();
    const auto losses = losses_next(places, solve(places));
    REQUIRE(losses.size() == 3);
    CHECK(losses[0].what == "driver R590");
    CHECK(losses[0].why == "R580 is the last driver for 6.1");
    CHECK(losses[1].what == "CUDA 13.0");
    CHECK(losses[1].why == "CUDA 12.9 is the last toolkit that compiles for 6.1");
    CHECK(losses[2].place->machine->name == "m1"); // driver 570 starts no program of CUDA 13
}

TEST_CASE("published builds that fit a machine: the newest whose code runs there and whose runtime its driver starts") {
    const auto fitting = [](const std::string& gpu, const std::string& driver, const std::string& name) -> std::string {
        const Lab lab = lab_of({{gpu, driver}});
        for (const Fitting& found : newest_fitting(places_of(lab).value().front())) {
            if (found.name == name) {
                return found.version + " " + found.cuda;
            }
        }
        return "none";
    };
    CHECK(fitting("GTX 1080", "580", "PyTorch") == "2.8-2.10 12.6"); // cu128 and later have nothing below 7.0
    CHECK(fitting("H200", "580", "PyTorch") == "2.14.0 13.0");
    CHECK(fitting("RTX 3090", "570", "PyTorch") == "2.10.0 12.8"); // a CUDA 13 runtime gives error 35 on 570
    CHECK(fitting("RTX 5090", "580", "PyTorch") == "2.14.0 13.0");
    CHECK(fitting("Jetson AGX Orin", "cuda:12.6", "PyTorch") == "none"); // wheels for servers hold nothing for 8.7
    CHECK(fitting("H200", "580", "nvcr.io/nvidia/tritonserver") == "26.10-py3 13.4");
    CHECK(fitting("RTX 3090", "570", "nvcr.io/nvidia/pytorch") == "25.06-py3 12.9");
    CHECK(fitting("Jetson AGX Orin", "cuda:12.6", "nvcr.io/nvidia/pytorch") == "24.12-py3-igpu 12.6");
    CHECK(fitting("GTX 1080", "580", "nvcr.io/nvidia/tritonserver") == "23.06-py3 12.1");
    CHECK(fitting("GTX 1080", "580", "nvidia/cuda") == "12.9.1-devel-ubuntu24.04 12.9"); // 13.x has no compiler for it
}

TEST_CASE("sizes: what a module holds for the target, else the mean of its images of that kind") {
    const auto image = [](Arch arch, ImageKind kind, std::uint64_t size) {
        Image made;
        made.arch = arch;
        made.kind = kind;
        made.size = size;
        made.kernels.push_back({"k", 0, {}, KernelBody::code});
        return made;
    };
    Coverage coverage;
    coverage.files.emplace_back();
    coverage.files[0].modules.resize(2);
    coverage.files[0].modules[0].images = {image({8, 0}, ImageKind::sass, 100), image({9, 0}, ImageKind::sass, 200)};
    coverage.files[0].modules[1].images = {image({9, 0}, ImageKind::sass, 50)};
    const auto sizes = estimated_sizes(coverage, {{{9, 0}, Code::sass}, {{12, 0}, Code::sass}, {{12, 0}, Code::ptx}});
    CHECK(sizes[0] == 250U);
    CHECK(sizes[1] == 200U); // 150 + 50
    CHECK(!sizes[2]);
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
