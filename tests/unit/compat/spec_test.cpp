#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using made::of_toolkit;

namespace {

std::string capability(const std::string& text) { return to_string(parse_gpu(text).value().capability); }

std::string refusal(const std::string& text) { return parse_gpu(text).error().message; }

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("GPUs by compute capability, product, chip and PCI id") {
    CHECK(capability("9.0") == "9.0");
    CHECK(capability(" 12.1 ") == "12.1");
    CHECK(capability("sm_90") == "9.0");
    CHECK(capability("H100") == "9.0");
    CHECK(capability("V100") == "7.0");
    CHECK(capability("nvidia geforce rtx 3090") == "8.6");
    CHECK(capability("RTX 5090") == "12.0");
    CHECK(capability("DGX Spark") == "12.1");
    CHECK(capability("GH100") == "9.0");
    CHECK(capability("pci:10de:2330") == "9.0");
    CHECK(capability("PCI:10DE:2330") == "9.0");
    const auto orin = parse_gpu("Jetson Orin").value();
    CHECK(to_string(orin.capability) == "8.7");
    CHECK(orin.tegra);
    CHECK(orin.name == "Jetson Orin");
    CHECK_FALSE(parse_gpu("RTX 4090")->tegra);
}

TEST_CASE("an ambiguous name is answered with the choices") {
    const auto message = refusal("RTX 4000");
    CHECK(parse_gpu("RTX 4000").error().code == "CAG501");
    CHECK(holds(message, "Quadro RTX 4000 (7.5)"));
    CHECK(holds(message, "(8.9)"));
    CHECK(holds(refusal("GT 1030"), "3.0 or 6.1")); // one name, two chips
}

TEST_CASE("what is not a GPU is refused with what was probably meant") {
    CHECK(holds(refusal("9.1"), "no GPU has compute capability 9.1; the nearest is 9.0"));
    CHECK(holds(refusal("sm_90a"), "the GPU is 9.0"));
    CHECK(holds(refusal("RTX 3099"), "did you mean"));
    CHECK(holds(refusal("local"), "survey"));
    CHECK(holds(refusal("pci:1002:73bf"), "10de"));
    CHECK(holds(refusal(""), "empty"));
    CHECK(holds(refusal("1.3"), "begin with"));
}

TEST_CASE("a GPU newer than the tables is taken as it is") {
    CHECK(capability("13.0") == "13.0");
    CHECK(newest_driver_for(parse_gpu("13.0").value()).extrapolated);
}

TEST_CASE("drivers by branch, version and CUDA version") {
    const auto branch = parse_driver("580").value();
    CHECK(branch.cuda == CudaVersion{13, 0});
    CHECK(branch.max_ptx == PtxIsa{9, 0});
    const auto full = parse_driver("580.159.04").value();
    CHECK(full.branch == 580);
    CHECK(full.name == "580.159.04");
    CHECK(parse_driver("cuda:13.0")->branch == 580);
    CHECK(parse_driver("CUDA 13.0")->branch == 580);
    CHECK(parse_driver("cuda:12.7")->branch == 565); // a driver's version that never was a toolkit
    CHECK(parse_driver("551.23")->max_ptx == PtxIsa{8, 4});
    CHECK(parse_driver("640")->extrapolated);
    CHECK(parse_driver("cuda:14.2")->extrapolated);
    CHECK_FALSE(branch.extrapolated);
    CHECK(parse_driver("535+cuda-compat:13.0")->compat_over == 535U);
}

TEST_CASE("what is not a driver is refused") {
    for (const char* text : {"", "local", "340", "abc", "580a", "cuda:", "cuda:13", "cuda:10.9", "620+cuda-compat:13.0", "99999"}) {
        CAPTURE(text);
        REQUIRE_FALSE(parse_driver(text));
        CHECK(parse_driver(text).error().code == "CAG501");
    }
}

TEST_CASE("the newest driver for a GPU is the last branch that drives it") {
    CHECK(newest_driver_for(parse_gpu("V100").value()).branch == 580);
    CHECK(newest_driver_for(parse_gpu("3.5").value()).branch == 470);
    CHECK(newest_driver_for(parse_gpu("H100").value()).branch == 620);
    CHECK(newest_driver_for(parse_gpu("10.7").value()).branch == 620);
}

TEST_CASE("the driver floor: the oldest driver with which everything runs") {
    const auto file = made::registered_images(of_toolkit("12.8", {8, 7}, made::images({"sm_80", "sm_86", "compute_61"})));
    const auto floor = [&](const char* gpu) { return driver_floor(file.coverage(), parse_gpu(gpu).value()); };
    CHECK(floor("RTX 3090")->driver.branch == 525); // SASS: minor-version compatibility
    CHECK(floor("RTX 3090")->outcome == OutcomeKind::sass);
    CHECK(floor("GTX 1080")->driver.branch == 570); // PTX 8.7
    CHECK(floor("GTX 1080")->outcome == OutcomeKind::jit);
    CHECK(holds(floor("GTX 1080")->reason, "ISA version 8.7"));
    CHECK_FALSE(floor("GTX 970")); // no driver helps
    CHECK(floor("RTX 5090")->driver.branch == 570);
    CHECK(floor("RTX 5090")->reason == "no older driver knows the GPU");
    CHECK(driver_floor(file.coverage().files[0], 0, parse_gpu("RTX 3090").value())->driver.branch == 525);
}

TEST_CASE("the driver floor counts compression, and every module") {
    auto images = of_toolkit("12.9", {8, 8}, made::images({"sm_80"}));
    images[0].compression = Compression::zstd;
    auto file = made::registered_images(images);
    CHECK(driver_floor(file.coverage(), parse_gpu("A100").value())->driver.branch == 550);
    file.add(ModuleKind::registered, of_toolkit("12.9", {8, 8}, made::images({"compute_80"})));
    CHECK(driver_floor(file.coverage(), parse_gpu("A100").value())->driver.branch == 575);
    CHECK(driver_floor(file.coverage().files[0], 0, parse_gpu("A100").value())->driver.branch == 550);
}

TEST_CASE("nothing to judge has no floor") { CHECK_FALSE(driver_floor(Coverage(), parse_gpu("A100").value())); }
