// On which GPUs a package runs, from what its files hold.
#include "package/truth.hpp"
#include "unit/policy/model.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

PackageTruth truth(std::vector<Module> modules) {
    const auto truths = truths_of(coverage(std::move(modules)), {"libdemo.so"});
    REQUIRE(truths.size() == 1);
    return truths[0];
}

const GpuTruth& on(const PackageTruth& package, unsigned major, unsigned minor) {
    for (const GpuTruth& gpu : package.gpus) {
        if (gpu.gpu.capability == ComputeCapability{major, minor}) {
            return gpu;
        }
    }
    FAIL("no such GPU");
    throw 0;
}

std::vector<std::string> keys(const Coverage& coverage, const std::vector<std::string>& inputs) {
    std::vector<std::string> all;
    for (const PackageContent& package : packages_in(coverage, inputs)) {
        all.push_back(package.path);
    }
    return all;
}

FileCoverage at(const std::string& path, std::optional<std::string> member = {}) {
    FileCoverage made = file({registered({sass("80")})}, path);
    made.member = std::move(member);
    return made;
}

PackageTruth wheel(const std::string& path, std::vector<Module> modules) {
    Coverage made{{file(std::move(modules), path)}};
    made.files[0].member = "lib.so";
    return truths_of(made, {path}).at(0);
}

} // namespace

TEST_CASE("all, a part, nothing, and what is compiled at load") {
    const PackageTruth package = truth({registered({sass("80", {"a", "b"}), ptx("80", {"a", "b"})}), registered({sass("80", {"c"})})});
    CHECK(on(package, 8, 0).runs == Extent::all);
    CHECK(on(package, 8, 0).kernels == 3);
    CHECK(on(package, 8, 0).compiled == 0);
    CHECK(on(package, 8, 6).runs == Extent::all); // a cubin serves higher minors
    CHECK(on(package, 9, 0).runs == Extent::part);
    CHECK(on(package, 9, 0).kernels == 2);
    CHECK(on(package, 9, 0).of == 3);
    CHECK(on(package, 9, 0).compiled == 2);
    CHECK(on(package, 9, 0).lacking == std::vector<std::string>{"libdemo.so"});
    CHECK(package.gpus.front().runs == Extent::none); // one stays, to show where it ends
    CHECK(package.gpus.front().gpu.capability == ComputeCapability{7, 5});
}

TEST_CASE("modules for one kind of GPU on purpose do not make a package incomplete elsewhere") {
    const PackageTruth package = truth({registered({sass("80", {"a"}), sass("90", {"a"})}), registered({sass("90a", {"tma"})})});
    CHECK(on(package, 9, 0).runs == Extent::all);
    CHECK(on(package, 9, 0).of == 2);
    CHECK(on(package, 9, 0).elsewhere == 0);
    CHECK(on(package, 8, 0).runs == Extent::all);
    CHECK(on(package, 8, 0).of == 1);
    CHECK(on(package, 8, 0).elsewhere == 1);
    CHECK(on(package, 8, 0).lacking.empty());
    CHECK(on(package, 8, 0).floor.has_value());

    // An image that serves the GPU and lacks a kernel is a fault, whatever its letter.
    const PackageTruth faulty = truth({registered({sass("90a", {"a"}), sass("100a", {"a", "b"})})});
    CHECK(on(faulty, 9, 0).runs == Extent::part);
    CHECK(on(faulty, 9, 0).of == 2);

    const PackageTruth nothing_else = truth({registered({sass("90a", {"tma"})})});
    CHECK(on(nothing_else, 9, 0).runs == Extent::all);
    for (const GpuTruth& gpu : nothing_else.gpus) {
        CHECK((gpu.gpu.capability == ComputeCapability{9, 0} || gpu.runs == Extent::none));
    }
}

TEST_CASE("containers in data sections are one pool: any may serve a kernel") {
    const auto pooled = [](const char* arch) { return module(ModuleKind::embedded, {sass(arch, {"k"})}); };
    const PackageTruth package = truth({pooled("80"), pooled("90")});
    CHECK(on(package, 9, 0).of == 1);
    CHECK(on(package, 9, 0).runs == Extent::all);
    const PackageTruth with_own = truth({pooled("80"), pooled("90a")});
    CHECK(on(with_own, 10, 0).of == 1); // the plain one makes it a kernel that is missed
    CHECK(on(with_own, 10, 0).elsewhere == 0);
}

TEST_CASE("the driver that it needs, for what runs at all") {
    Image newer = ptx("80", {"a"});
    newer.ptx_isa = PtxIsa{8, 7};
    Image older = sass("80", {"b"});
    older.toolkit = "12.0";
    const PackageTruth package = truth({registered({newer}), registered({older})});
    REQUIRE(on(package, 9, 0).runs == Extent::part);
    REQUIRE(on(package, 9, 0).floor.has_value());
    CHECK(on(package, 9, 0).floor->driver.branch == 570); // PTX ISA 8.7 is of CUDA 12.8
    CHECK(on(package, 9, 0).floor->reason.find("8.7") != std::string::npos);
    CHECK_FALSE(on(truth({registered({sass("80")})}), 7, 5).floor.has_value());
    // The CUDA runtime is the program's, whether or not the module that shows its version runs.
    const PackageTruth of_13 = truth({registered({newer}), registered({sass("80", {"b"})})});
    CHECK(on(of_13, 9, 0).floor->driver.branch == 580);
}

TEST_CASE("what is a package: an archive, an installed distribution, the path that was asked for") {
    Coverage found{{at("site/one/lib.so"), at("site/nvidia/cublas/lib.so"), at("site/nvidia/cufft/lib.so"), at("dist/a.whl", "x/lib.so"),
                    at("dist/a.whl", "y/lib.so"), at("other/lib.so")}};
    found.texts = {{"site/one-1.0.dist-info/METADATA", {}, "Name: one"}, {"dist/a.whl", "a.dist-info/METADATA", "Name: a"}};
    CHECK(keys(found, {"site", "dist", "other"}) ==
          std::vector<std::string>{"site/one", "site/nvidia/cublas", "site/nvidia/cufft", "dist/a.whl", "other"});
    const auto packages = packages_in(found, {"site", "dist", "other"});
    CHECK(packages[0].texts.size() == 1);
    CHECK(packages[3].files.size() == 2);
    CHECK(packages[3].texts.size() == 1);
    CHECK(packages[3].first_file == 3);
}

TEST_CASE("variants of one release are held against each other, other packages are not") {
    const std::vector<Module> with90{registered({sass("80"), sass("90")})};
    const std::vector<Module> without{registered({sass("80")})};
    const std::vector<PackageTruth> packages{
        wheel("d/x-1.0+cu128-cp311-cp311-linux_x86_64.whl", with90), wheel("d/y-1.0-py3-none-any.whl", without),
        wheel("d/x-1.0-cp311-cp311-win_amd64.whl", without), wheel("d/x-1.1-cp311-cp311-win_amd64.whl", without)};
    CHECK(variants(packages) == std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}});
    const auto found = differences(packages[0], packages[2]);
    REQUIRE(found.size() == 1);
    CHECK(found[0].gpu.capability == ComputeCapability{9, 0});
    CHECK(found[0].first == Extent::all);
    CHECK(found[0].second == Extent::none);
    CHECK(differences(packages[0], packages[0]).empty());
}
