#include "coverage/device_link.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

Image image(unsigned arch, std::vector<std::string> kernels) {
    Image made;
    made.kind = ImageKind::sass;
    made.arch = {arch / 10, arch % 10, Variant::plain};
    made.payload_read = true;
    for (std::string& name : kernels) {
        made.kernels.push_back({std::move(name), 16, {}, KernelBody::code});
    }
    return made;
}

Module module(std::vector<Image> images) {
    Module made;
    made.images = std::move(images);
    return made;
}

using Names = std::set<std::string_view>;

} // namespace

// As nvcc 13.0 records references: `_Z4used*` for used(int*), and a pattern with two stars for a kernel of internal linkage.
TEST_CASE("a kernel that no host code refers to was dropped by the link; one that it refers to is missing") {
    FileCoverage file;
    file.host_references = {{"_Z4used*", "__nv_static_23__8459cd3e_5_st_cu_cname_*3hid*"}};
    const Module input = module({image(90, {"_Z4usedPi", "_Z13unused_kernelPi", "__nv_static_23__8459cd3e_5_st_cu_cname__Z3hidPi"})});
    CHECK(kernels_dropped_by_link(file, module({image(90, {"_Z4usedPi"})}), {&input}) == Names{"_Z13unused_kernelPi"});
    CHECK(kernels_dropped_by_link(file, module({image(90, {})}), {&input}) == Names{"_Z13unused_kernelPi"});
}

TEST_CASE("a kernel that the inputs lack for one of the targets is missing and not dropped") {
    FileCoverage file;
    file.host_references.emplace();
    const Module input = module({image(80, {"k"})});
    CHECK(kernels_dropped_by_link(file, module({image(80, {}), image(90, {})}), {&input}).empty());
    CHECK(kernels_dropped_by_link(file, module({image(86, {})}), {&input}) == Names{"k"}); // linked for 86 from 80
}

TEST_CASE("without a record of host references nothing is taken for dropped") {
    const Module input = module({image(90, {"k"})});
    CHECK(kernels_dropped_by_link(FileCoverage{}, module({image(90, {})}), {&input}).empty());
}
