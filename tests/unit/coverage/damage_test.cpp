// Damage to one container costs that container and nothing else; no damage brings the scan down.
#include "coverage/scan.hpp"
#include "unit/coverage/files.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using namespace cag::test;

namespace {

bool lists_kernel(const Coverage& coverage, const std::string& kernel) {
    for (const FileCoverage& file : coverage.files) {
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                if (std::ranges::find(image.kernels, kernel, &Kernel::name) != image.kernels.end()) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool has_problem(const Coverage& coverage) {
    return std::ranges::any_of(coverage.files, [](const FileCoverage& file) { return !file.problems.empty(); });
}

} // namespace

TEST_CASE("any byte of a container's headers may be wrong: its neighbours are still read") {
    const Bytes middle = container(80, "middle");
    const auto built = build_elf(ET_DYN, {{".nv_fatbin", container(75, "before") + middle + container(90, "after")}});
    const std::size_t start = built.offsets[0] + container(75, "before").size();
    for (std::size_t place = start; place < start + 80; ++place) {
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            Bytes damaged = built.bytes;
            damaged[place] = static_cast<std::byte>(value);
            const Coverage coverage = scan_bytes(damaged, "damaged");
            INFO("byte " << place - start << " of the container set to " << value);
            CHECK(lists_kernel(coverage, "before"));
            CHECK(lists_kernel(coverage, "after"));
        }
    }
}

TEST_CASE("a file cut anywhere is read up to the cut, and the cut is told") {
    const Bytes first = container(75, "first");
    const auto built = build_elf(ET_DYN, {{".nv_fatbin", first + container(90, "second")}});
    for (std::size_t size = 0; size < built.bytes.size(); size += 3) {
        Bytes cut = built.bytes;
        cut.resize(size);
        const Coverage coverage = scan_bytes(cut, "cut");
        INFO("cut at " << size << " of " << built.bytes.size());
        if (size >= built.offsets[0] + first.size()) {
            CHECK(lists_kernel(coverage, "first"));
        }
        if (size >= sizeof(Elf64_Ehdr)) {
            CHECK(has_problem(coverage));
        }
    }
}

TEST_CASE("a fatbin file cut anywhere is a damaged fatbin and not a file without device code") {
    const Bytes whole = container(75, "first") + container(90, "second");
    for (std::size_t size = 4; size < whole.size(); size += 5) {
        const Coverage coverage = scan_bytes({whole.data(), size}, "cut.fatbin");
        INFO("cut at " << size << " of " << whole.size());
        CHECK(coverage.files[0].format == "fatbin");
        CHECK((has_problem(coverage) || size == container(75, "first").size()));
        CHECK((lists_kernel(coverage, "first") || size < container(75, "first").size()));
    }
}

TEST_CASE("any byte of a whole file may be wrong without bringing the scan down") {
    const auto built = build_elf(
        ET_DYN,
        {{".nv_fatbin", container(75, "k")}, {".nvFatBinSegment", fatbin_wrapper(1, load_address)}, {".rodata", bytes_of(ptx(80, "p"))}});
    for (std::size_t place = 0; place < built.bytes.size(); ++place) {
        for (const int value : {0x00, 0xff}) {
            Bytes damaged = built.bytes;
            damaged[place] = static_cast<std::byte>(value);
            CHECK(scan_bytes(damaged, "damaged").files.size() == 1);
        }
    }
}
