// What `inspect --sizes` says of a file whose device code comes near what a linker can place.
#include "report/sizes.hpp"

#include "unit/policy/model.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

std::string sizes_of_images_of(std::uint64_t bytes) {
    Coverage made = coverage({registered({sass("75", {"k"}), sass("80", {"k"}), sass("90", {"k"})})});
    Module& module = made.files[0].modules[0];
    module.size = module.header_bytes;
    for (Image& image : module.images) {
        image.size = bytes;
        module.size += bytes;
    }
    Style style;
    style.width = 1000;
    return sizes_text(made.files[0], style);
}

bool warns(const std::string& text) { return text.find("relocation truncated to fit") != std::string::npos; }

} // namespace

TEST_CASE("device code of 1.5 GiB and more in one file is told, with what can be done") {
    constexpr std::uint64_t mib = 1ULL << 20U;
    CHECK_FALSE(warns(sizes_of_images_of(400 * mib)));
    const std::string text = sizes_of_images_of(700 * mib);
    CHECK(warns(text));
    CHECK(text.find("2.1 GiB of device code") != std::string::npos);
    CHECK(text.find("--compress-mode=size") != std::string::npos);
}
