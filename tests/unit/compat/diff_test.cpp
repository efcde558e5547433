// What a new build changes: GPUs lost and won, per kernel.
#include "compat/diff.hpp"
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace cag;

namespace {

std::vector<std::pair<Gpu, Driver>> on(const std::vector<std::string>& gpus, const std::string& driver = "580") {
    std::vector<std::pair<Gpu, Driver>> questions;
    for (const std::string& gpu : gpus) {
        questions.emplace_back(parse_gpu(gpu).value(), parse_driver(driver).value());
    }
    return questions;
}

// "lost 8.0, 8.6: k": one line a group.
std::vector<std::string> listed(const FileDiff& file) {
    std::vector<std::string> lines;
    for (const DiffGroup& group : file.groups) {
        std::vector<std::string> gpus;
        for (const auto& [gpu, driver] : group.on) {
            gpus.push_back(to_string(gpu.capability));
        }
        lines.push_back(fmt::format("{} {}: {}", to_string(group.change), fmt::join(gpus, ", "), fmt::join(group.kernels, " ")));
    }
    return lines;
}

Diff compare(const made::File& before, const made::File& after, const std::vector<std::pair<Gpu, Driver>>& questions) {
    const Coverage old_side = before.coverage();
    const Coverage new_side = after.coverage();
    return diff({old_side, "made"}, {new_side, "made"}, questions);
}

// Files of a folder, each with one image.
Coverage side(const std::string& root, const std::vector<std::pair<std::string, std::string>>& files) {
    Coverage coverage;
    for (const auto& [name, target] : files) {
        FileCoverage file = made::registered({target}).get();
        file.path = root + "/" + name;
        coverage.files.push_back(std::move(file));
    }
    return coverage;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a dropped image loses its GPUs, a new one wins some, and what only starts slower is told apart") {
    const Diff result = compare(made::registered({"sm_75", "sm_80", "compute_80"}), made::registered({"sm_80", "compute_80", "sm_120"}),
                                on({"7.5", "8.0", "8.6", "9.0", "12.0"}));
    REQUIRE(result.files.size() == 1);
    CHECK(listed(result.files[0]) == Lines{"lost 7.5: k", "compiled_no_more 12.0: k"});
    CHECK(made::says(result.files[0].groups[0].reasons, "no image serves compute capability 7.5"));
    CHECK(loses_a_gpu(result));

    const Diff slower = compare(made::registered({"sm_80", "sm_90"}), made::registered({"compute_80"}), on({"8.0", "9.0", "12.0"}));
    CHECK(listed(slower.files[0]) == Lines{"compiled 8.0, 9.0: k", "won 12.0: k"});
    CHECK(!loses_a_gpu(slower));
}

TEST_CASE("each kernel counts: one of two modules that lost an architecture is a loss for its kernels") {
    made::File before;
    before.add(ModuleKind::registered, made::images({"sm_80", "sm_90"}, {"ka"}));
    before.add(ModuleKind::registered, made::images({"sm_80", "sm_90"}, {"kb"}));
    made::File after;
    after.add(ModuleKind::registered, made::images({"sm_80", "sm_90"}, {"ka"}));
    after.add(ModuleKind::registered, made::images({"sm_80"}, {"kb", "kc"}));
    const Diff result = compare(before, after, on({"8.0", "9.0"}));
    CHECK(listed(result.files[0]) == Lines{"lost 9.0: kb"});
    CHECK(result.files[0].kernels_new == Lines{"kc"});
    CHECK(result.files[0].kernels_gone.empty());
}

TEST_CASE("a kernel that is gone loses no GPU") {
    const Diff result = compare(made::registered_images(made::images({"sm_80"}, {"ka", "kb"})),
                                made::registered_images(made::images({"sm_80"}, {"ka"})), on({"8.0"}));
    CHECK(result.files[0].groups.empty());
    CHECK(result.files[0].kernels_gone == Lines{"kb"});
    CHECK(!loses_a_gpu(result));
    CHECK(loses_kernels(result));
}

TEST_CASE("files of folders and members of archives are held against those of the same name") {
    const Coverage before = side("old", {{"a.so", "sm_80"}, {"lib/b.so", "sm_90"}, {"gone.so", "sm_80"}});
    const Coverage after = side("new", {{"a.so", "sm_80"}, {"lib/b.so", "sm_80"}, {"more.so", "sm_80"}});
    const Diff result = diff({before, "old"}, {after, "new"}, on({"8.0", "9.0"}));
    REQUIRE(result.files.size() == 4);
    CHECK(listed(result.files[0]).empty());
    CHECK(result.files[1].name == "gone.so");
    CHECK(!result.files[1].after);
    CHECK(listed(result.files[2]) == Lines{"lost 9.0: k", "won 8.0: k"});
    CHECK(result.files[3].name == "more.so");
    CHECK(!result.files[3].before);
    CHECK(loses_kernels(result));
}

TEST_CASE("a library that moved, or whose name carries a version or a hash, is held against its old self") {
    const Coverage before = side("old", {{"pkg/_C.so", "sm_90"},
                                         {"pkg.libs/libnvjpeg-4a0b5c81.so.12", "sm_80"},
                                         {"pkg.libs/curand-0123456789abcdef0123456789abcdef.dll", "sm_80"},
                                         {"one/same.so", "sm_80"},
                                         {"two/same.so", "sm_80"}});
    const Coverage after = side("new", {{"src/pkg/_C.so", "sm_80"},
                                        {"pkg.libs/libnvjpeg.feedbeef.so.13", "sm_80"},
                                        {"pkg.libs/curand-fedcba9876543210fedcba9876543210.dll", "sm_80"},
                                        {"three/same.so", "sm_80"}});
    const Diff result = diff({before, "old"}, {after, "new"}, on({"8.0", "9.0"}));
    std::vector<std::string> pairs;
    for (const FileDiff& file : result.files) {
        pairs.push_back(file.name + (file.old_name.empty() ? "" : " was " + file.old_name) +
                        (!file.after    ? " gone"
                         : !file.before ? " new"
                                        : ""));
    }
    CHECK(pairs == Lines{"one/same.so gone",
                         "pkg.libs/curand-fedcba9876543210fedcba9876543210.dll was "
                         "pkg.libs/curand-0123456789abcdef0123456789abcdef.dll",
                         "pkg.libs/libnvjpeg.feedbeef.so.13 was pkg.libs/libnvjpeg-4a0b5c81.so.12", "src/pkg/_C.so was pkg/_C.so",
                         "three/same.so new", "two/same.so gone"}); // which of two it was cannot be told
    CHECK(listed(result.files[3]) == Lines{"lost 9.0: k", "won 8.0: k"});
}

TEST_CASE("by itself a diff asks about every known GPU with a driver that drives it") {
    const auto all = all_known_gpus();
    CHECK(all.size() > 20);
    for (const auto& [gpu, driver] : all) {
        CHECK(drives(driver, gpu));
    }
}
