// Rules 14 to 19 of docs/rules.md: what is no fat binary, other platforms and drivers; and what is newer than the tables.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using made::image;
using made::of_toolkit;
using made::outcome;
using made::ptx;
using made::registered;
using made::registered_images;
using made::says;
using made::what;

TEST_CASE("rule 14: LTO-IR is not loadable") {
    const auto failed = outcome(registered_images(std::vector<Image>{image("lto_90")}), "9.0", "580");
    CHECK(made::summary(failed) == "fails 209");
    CHECK(says(failed.reasons, "LTO-IR"));
    CHECK(what(registered({"lto_90", "sm_90"}), "9.0", "580") == "sass 90");
}

namespace {

made::File raw(const std::string& format, const Image& image) {
    made::File file(FileRole::raw, format);
    file.add(ModuleKind::raw, {image});
    return file;
}

} // namespace

TEST_CASE("rule 15: bare cubins and PTX have other errors") {
    CHECK(what(raw("cubin", image("sm_80")), "9.0", "580") == "fails 209");
    CHECK(what(raw("cubin", image("sm_90")), "9.0", "580", {{"CUDA_FORCE_JIT", "1"}}) == "sass 90");
    CHECK(what(raw("ptx", image("compute_100")), "9.0", "580") == "fails 218");
    CHECK(what(raw("ptx", image("compute_80")), "9.0", "580") == "jit 80");
    CHECK(what(raw("ptx", image("compute_80")), "9.0", "580", {{"CUDA_DISABLE_JIT", "1"}}) == "fails 223");
    CHECK(what(raw("ptx", image("compute_100")), "9.0", "580", {{"CUDA_DISABLE_JIT", "1"}}) ==
          "fails 223"); // before its target is looked at
    CHECK(what(raw("ptx", ptx("compute_80", {9, 1})), "9.0", "580") == "fails 222");
    CHECK(what(raw("fatbin", image("compute_80")), "9.0", "580", {{"CUDA_DISABLE_JIT", "1"}}) == "fails 223");
    auto cut = raw("cubin", image("sm_90"));
    cut.get().problems.push_back({"CAG401", "ends early", {}});
    CHECK(what(cut, "9.0", "580") == "fails 200");
}

TEST_CASE("rule 5: a cubin of a newer major is not promised") {
    CHECK(what(raw("cubin", image("sm_90")), "9.0", "570") == "unknown");
    CHECK(outcome(raw("cubin", image("sm_90")), "9.0", "570").fixes.front().find("R580") != std::string::npos);
}

TEST_CASE("rule 16: SASS does not go between desktop GPUs and Tegra") {
    const auto desktop = registered({"sm_80", "sm_86", "sm_90", "sm_120"});
    const auto orin = outcome(desktop, "Jetson Orin", "580");
    CHECK(made::summary(orin) == "fails 209");
    CHECK(orin.confidence == Confidence::reported); // some say that it ran
    CHECK(says(orin.reasons, "not between them and Tegra"));
    CHECK(says(orin.fixes, "sm_87"));
    CHECK(what(registered({"sm_80", "sm_87"}), "8.7", "580") == "sass 87");
    CHECK(what(registered({"sm_80", "compute_80"}), "8.7", "580") == "jit 80");
    CHECK(what(registered({"sm_87"}), "8.9", "580") == "fails 209");
    CHECK(what(registered({"sm_87"}), "8.6", "580") == "fails 209");
    CHECK(what(registered({"sm_72"}), "7.5", "580") == "fails 209");
    CHECK(what(registered_images(of_toolkit("12.9", {8, 8}, made::images({"sm_60"}))), "6.2", "575") == "fails 209");
    CHECK(what(registered_images(of_toolkit("12.9", {8, 8}, made::images({"sm_60"}))), "6.1", "575") == "sass 60");
    CHECK(outcome(registered({"sm_87"}), "8.9", "580").confidence == Confidence::documented);
}

TEST_CASE("rule 16: Thor is 10.1 up to CUDA 12.9 and 11.0 from 13.0") {
    CHECK(what(registered({"sm_80", "sm_90", "sm_100", "sm_120"}), "10.1", "580") == "fails 209");
    CHECK(what(registered({"sm_87", "sm_90", "sm_100", "sm_120"}), "11.0", "580") == "fails 209");
    CHECK(what(registered({"sm_110"}), "11.0", "580") == "sass 110");
    CHECK(what(registered({"sm_110"}), "10.1", "580") == "sass 110"); // the same GPU
    const auto old_number = registered_images(of_toolkit("12.9", {8, 8}, made::images({"sm_101"})));
    CHECK(what(old_number, "11.0", "580") == "unknown");
    CHECK(what(old_number, "10.1", "575") == "sass 101");
    CHECK(what(registered_images(of_toolkit("12.9", {8, 8}, made::images({"sm_100"}))), "10.1", "575") == "fails 209");
    CHECK(what(registered_images(std::vector<Image>{ptx("compute_101a", {8, 8})}), "11.0", "580") == "jit 101a");
}

TEST_CASE("rule 17: compression newer than the driver is not a missing architecture") {
    auto images = of_toolkit("12.9", {8, 8}, made::images({"sm_70"}));
    images[0].compression = Compression::zstd;
    const auto failed = outcome(registered_images(images), "V100", "535");
    CHECK(made::summary(failed) == "fails 200");
    CHECK(says(failed.reasons, "not a missing architecture"));
    CHECK(says(failed.fixes, "update the driver to R550"));
    CHECK(says(failed.fixes, "--compress-mode=speed"));
    CHECK(what(registered_images(images), "V100", "550") == "sass 70");
    images[0].compression = Compression::lz4;
    CHECK(what(registered_images(images), "V100", "535") == "sass 70");
}

TEST_CASE("rule 18: a driver must know the GPU") {
    const auto old = registered_images(of_toolkit("12.9", {8, 8}, made::images({"sm_61", "sm_120"})));
    const auto dropped = outcome(old, "GTX 1080", "595");
    CHECK(made::summary(dropped) == "fails 100");
    CHECK(says(dropped.reasons, "R580 is the last that does"));
    CHECK(what(old, "GTX 1080", "580") == "sass 61");
    const auto not_yet = outcome(old, "RTX 5090", "550");
    CHECK(made::summary(not_yet) == "fails 100");
    CHECK(says(not_yet.fixes, "update the driver to R570"));
    CHECK(what(registered({"sm_100f"}), "10.7", "610") == "fails 100"); // Rubin needs 615
}

TEST_CASE("rule 19: forward compatibility is for data-center GPUs and Jetson") {
    const auto file = registered({"sm_80", "compute_80"});
    CHECK(what(file, "A100", "535+cuda-compat:13.0") == "sass 80");
    CHECK(what(file, "H100", "535+cuda-compat:13.0") == "jit 80"); // the PTX limit is the compat library's
    CHECK(what(file, "RTX 3090", "535+cuda-compat:13.0") == "fails 804");
    CHECK(what(file, "RTX 3090", "535") == "fails 35");
}

TEST_CASE("groups of nvcc -concat are skipped by drivers before CUDA 13.4") {
    auto images = of_toolkit("13.5", {9, 5}, made::images({"sm_90"}));
    images[0].in_concat_group = true;
    const auto skipped = outcome(registered_images(images), "9.0", "580");
    CHECK(made::summary(skipped) == "fails 209");
    CHECK(says(skipped.reasons, "-concat"));
    CHECK(says(skipped.fixes, "R615"));
    CHECK(what(registered_images(images), "9.0", "615") == "sass 90");
}

TEST_CASE("nothing but the recorded GPU and driver is called measured") {
    const auto file = registered({"sm_75", "sm_86", "sm_90", "compute_80"});
    CHECK(outcome(file, "9.0", "580").confidence == Confidence::measured);
    CHECK(outcome(file, "9.0", "580.65").confidence == Confidence::measured); // another release of that branch
    CHECK(outcome(file, "9.0", "595").confidence == Confidence::documented);
    CHECK(outcome(file, "8.6", "580").confidence == Confidence::documented);
    CHECK(outcome(file, "10.0", "580").confidence == Confidence::documented);
}

TEST_CASE("a driver newer than the tables is answered as an extrapolation") {
    const auto file = registered({"sm_90", "compute_80"});
    const auto answer = outcome(file, "9.0", "700");
    CHECK(made::summary(answer) == "sass 90");
    CHECK(answer.confidence == Confidence::reported);
    CHECK(says(answer.reasons, "extrapolation"));
    CHECK(what(registered_images(std::vector<Image>{ptx("compute_80", {9, 9})}), "9.0", "700") == "unknown");
}

TEST_CASE("so is a GPU newer than the tables") {
    const auto answer = outcome(registered({"compute_80"}), "13.0", "620");
    CHECK(made::summary(answer) == "unknown");
    CHECK(answer.confidence == Confidence::reported);
    CHECK(says(answer.reasons, "no GPU of compute capability 13.0 is known"));
}

TEST_CASE("rule 14: bare LTO-IR is refused") {
    made::File file(FileRole::raw, "ltoir");
    file.add(ModuleKind::raw, made::images({"lto_90"}, {}));
    file.get().modules[0].images[0].payload_read = false;
    CHECK(made::summary(made::all_outcomes(made::ask(file, "9.0", "580")).at(0)) == "fails 200");
}

TEST_CASE("a GPU that only PTX of the newest ISA version carries is pointed out, and how much PTX is compiled") {
    const auto file = registered({"sm_80", "compute_80"}); // of ISA 9.0
    CHECK(says(outcome(file, "9.0", "580").warnings, "every older branch fails with error 222"));
    CHECK(outcome(file, "9.0", "595").warnings.empty());
    CHECK(outcome(file, "8.0", "580").warnings.empty());
    CHECK(made::ask(file, "9.0", "580").files[0].ptx_to_compile == 1000); // once, however many kernels it has
    CHECK(made::ask(file, "8.0", "580").files[0].ptx_to_compile == 0);
}
