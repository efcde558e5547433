// Damaged images, and what hides images: rules 1 and 17 of docs/rules.md.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using made::image;
using made::outcome;
using made::ptx;
using made::registered;
using made::registered_images;
using made::says;
using made::what;

TEST_CASE("an entry of an unknown kind, or damage, makes a missing image uncertain") {
    Image strange = image("sm_90");
    strange.kind = ImageKind::unknown;
    CHECK(what(registered_images(std::vector<Image>{image("sm_80"), strange}), "9.0", "620") == "unknown");
    CHECK(what(registered_images(std::vector<Image>{image("sm_80"), strange}), "9.0", "580") == "fails 209"); // seen: passed over
    CHECK(what(registered_images(std::vector<Image>{image("sm_80"), strange}), "8.0", "580") == "sass 80");

    auto damaged = registered({"sm_80"});
    damaged.get().modules[0].unexplained_bytes = 100;
    CHECK(what(damaged, "9.0", "580") == "unknown");
    CHECK(what(damaged, "8.0", "580") == "sass 80");
}

TEST_CASE("an image whose payload is damaged is not promised") {
    auto file = registered({"sm_80", "sm_90"});
    Image& image = file.get().modules[0].images[1];
    image.payload_read = false;
    image.kernels.clear();
    image.compression = Compression::lz4;
    image.defect = Defect::does_not_expand;
    CHECK(what(file, "9.0", "580") == "unknown"); // it crashes
    CHECK(what(file, "8.0", "580") == "sass 80"); // only the image taken is read
    image.compression = Compression::zstd;
    CHECK(what(file, "9.0", "580") == "fails 999");
    image.defect = Defect::no_cubin;
    CHECK(what(file, "9.0", "580") == "fails 200");
    image.defect = Defect::other;
    CHECK(what(file, "9.0", "580") == "unknown");
}

TEST_CASE("PTX that cannot be decompressed is met before the switch that forbids JIT, text that is no PTX after it") {
    auto file = registered({"compute_80"});
    Image& image = file.get().modules[0].images[0];
    image.payload_read = false;
    image.kernels.clear();
    image.compression = Compression::zstd;
    image.defect = Defect::does_not_expand;
    const auto what = [&](const Environment& environment) { // of the module: no kernel is known
        return made::summary(made::all_outcomes(made::ask(file, "9.0", "580", environment)).at(0));
    };
    CHECK(what({{"CUDA_DISABLE_PTX_JIT", "1"}}) == "fails 999");
    image.defect = Defect::no_ptx;
    CHECK(what({{"CUDA_DISABLE_PTX_JIT", "1"}}) == "fails 223");
    CHECK(what({}) == "fails 218");
}

TEST_CASE("the header decides which image is taken, its payload whether it can be used") {
    auto sass = registered({"sm_90"});
    sass.get().modules[0].images[0].payload_arch = parse_arch("80");
    CHECK(what(sass, "9.0", "580") == "fails 300");
    CHECK(what(sass, "9.0", "580", {{"CUDA_MODULE_LOADING", "EAGER"}}) == "fails 46");
    sass.get().modules[0].images[0].payload_arch = parse_arch("90a");
    CHECK(what(sass, "9.0", "580") == "sass 90a");
    auto ptx = registered({"compute_80"});
    ptx.get().modules[0].images[0].payload_arch = parse_arch("100");
    CHECK(what(ptx, "9.0", "580") == "fails 218");
    CHECK(what(ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "1"}}) == "fails 223");
}

TEST_CASE("rule 15: a file cut in its first headers gives another error than one cut behind them") {
    for (const auto& [size, expected] : {std::pair{50U, "fails 999"}, {200U, "fails 200"}}) {
        made::File file(FileRole::raw, "fatbin");
        file.add(ModuleKind::raw, {});
        file.get().modules[0].size = size;
        file.get().problems = {{"CAG401", "ends early", size}};
        CHECK(what(file, "9.0", "580", {}, "") == expected);
    }
}
