#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/writer.hpp"
#include "listing.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace cag;
using namespace cag::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Bytes cubin_with(const std::string& kernel, unsigned sm = 80) {
    Cubin cubin;
    cubin.sm = sm;
    cubin.kernels = {{kernel}};
    return build(cubin);
}

std::string ptx_with(const std::string& kernel, const std::string& target = "sm_80") {
    return ".version 9.0\n.target " + target + "\n.address_size 64\n.visible .entry " + kernel + "() { ret; }\n";
}

Container read(const Bytes& bytes, const Limits& limits = {}) {
    const Input input(bytes);
    auto container = read_container(input.view(), ScanDepth::payload, limits);
    REQUIRE(container);
    return *std::move(container);
}

// A container with one entry whose header claims `expanded` bytes.
Container read_claiming(Entry entry, std::uint64_t expanded, const Limits& limits = {}) {
    Bytes bytes = build_container({std::move(entry)});
    std::memcpy(bytes.data() + 16 + 56, &expanded, sizeof(expanded));
    return read(bytes, limits);
}

} // namespace

TEST_CASE("kernels are read from plain, LZ4 and zstd payloads alike") {
    for (const Codec codec : {Codec::none, Codec::lz4, Codec::zstd}) {
        const Container container = read(build_container({cubin_entry(80, cubin_with("k"), codec), ptx_entry(80, ptx_with("k"), codec)}));
        CHECK(container.problems.empty());
        CHECK(listed(container.images) == Texts{"sass 80: k", "ptx 80: k"});
        CHECK(container.images[0].payload_read);
        CHECK(container.images[0].toolkit == "13.0");
    }
}

TEST_CASE("a large cubin is read through the file as a small one is in one piece") {
    Cubin cubin;
    for (int i = 0; i < 700; ++i) {
        cubin.kernels.push_back({"kernel_with_a_long_name_" + std::to_string(i)});
    }
    const Bytes payload = build(cubin);
    REQUIRE(payload.size() > 100'000);
    const Container container = read(build_container({cubin_entry(80, payload)}));
    CHECK(container.problems.empty());
    REQUIRE(container.images[0].kernels.size() == 700);
    CHECK(container.images[0].kernels[699].name == "kernel_with_a_long_name_699");
    CHECK(container.images[0].kernels[699].body == KernelBody::code);
}

TEST_CASE("payloads are read one by one, from the whole file or from the section") {
    const Bytes section = build_container({cubin_entry(80, cubin_with("a")), cubin_entry(90, cubin_with("b", 90), Codec::zstd)});
    const Input input(joined({Bytes(24), section}));
    const auto view = input.view().sub(24, section.size(), "section");
    auto container = read_container(*view, ScanDepth::headers, {});
    REQUIRE(container);
    REQUIRE(container->payloads.size() == 2);
    std::vector<Image> images = container->images; // as a module would hold them
    std::vector<Problem> problems;
    read_payload(images, container->payloads[1], input.view(), {}, problems);
    CHECK(listed(images) == Texts{"sass 80", "sass 90: b"});
    read_payload(images, container->payloads[0], *view, {}, problems);
    CHECK(listed(images) == Texts{"sass 80: a", "sass 90: b"});
    CHECK(problems.empty());
}

TEST_CASE("members of a concat group are images of their own and share the stored bytes") {
    Entry specific = cubin_entry(90, cubin_with("b", 90));
    specific.flags |= 0x100000;
    specific.source = "b.cu"; // makes its record longer
    for (const Codec codec : {Codec::zstd, Codec::lz4}) {
        Entry ptx = ptx_entry(80, ptx_with("p"));
        ptx.options = "--compile-only";
        const Bytes bytes = build_container({
            cubin_entry(75, cubin_with("alone", 75)),
            concat_group({cubin_entry(80, cubin_with("a")), specific, cubin_entry(100, cubin_with("c", 100))}, codec),
            concat_group({ptx, ptx_entry(90, ptx_with("q", "sm_90"))}, codec),
        });
        const Container container = read(bytes);
        CHECK(container.problems.empty());
        CHECK(listed(container.images) == Texts{"sass 75: alone", "sass 80: a", "sass 90a: b", "sass 100: c", "ptx 80: p", "ptx 90: q"});
        CHECK(!container.images[0].in_concat_group);
        CHECK(container.images[2].in_concat_group);
        CHECK(container.images[2].source == "b.cu");
        CHECK(container.images[4].relocatable);
        CHECK(!container.images[5].relocatable);
        CHECK(container.payloads.size() == 3); // the unit of decompression is the group

        std::uint64_t sum = container.header_bytes + container.padding_bytes;
        for (const Image& image : container.images) {
            sum += image.size;
        }
        CHECK(sum == bytes.size());
        CHECK(container.unexplained_bytes == 0);
    }
}

TEST_CASE("a group inside a group is refused") {
    Entry inner = concat_group({cubin_entry(80, cubin_with("a"))});
    inner.members.clear();
    const Container container = read(build_container({concat_group({cubin_entry(80, cubin_with("k")), inner})}));
    CHECK(codes(container.problems) == Texts{"CAG402"});
    CHECK(listed(container.images) == Texts{"sass 80: k"});
}

TEST_CASE("a payload must give exactly the bytes that its header declares") {
    const Bytes cubin = cubin_with("k");
    for (const Codec codec : {Codec::lz4, Codec::zstd}) {
        for (const std::uint64_t claimed : {cubin.size() - 1, cubin.size() + 1}) {
            const Container container = read_claiming(cubin_entry(80, cubin, codec), claimed);
            REQUIRE(codes(container.problems) == Texts{"CAG403"});
            CHECK_THAT(container.problems[0].message, ContainsSubstring("image sm_80"));
            CHECK(container.problems[0].offset == 16 + 64);
            CHECK(!container.images[0].payload_read);
        }
    }
}

TEST_CASE("a damaged payload spoils its own image only") {
    for (const Codec codec : {Codec::lz4, Codec::zstd}) {
        Bytes bytes = build_container({cubin_entry(80, cubin_with("a"), codec), cubin_entry(86, cubin_with("b", 86), codec)});
        for (std::size_t i = 0; i < 16; ++i) {
            bytes[16 + 64 + i] = std::byte{0xff};
        }
        const Container container = read(bytes);
        CHECK(codes(container.problems) == Texts{"CAG403"});
        CHECK(listed(container.images) == Texts{"sass 80", "sass 86: b"});
    }
}

TEST_CASE("declared sizes are held against the limits before anything is allocated") {
    const Entry entry = cubin_entry(80, cubin_with("k"), Codec::zstd);
    const std::uint64_t huge = std::uint64_t{64} << 30;
    const Container too_large = read_claiming(entry, huge);
    REQUIRE(codes(too_large.problems) == Texts{"CAG404"});
    CHECK_THAT(too_large.problems[0].message, ContainsSubstring("more than the limit"));

    Limits limits;
    limits.max_expansion_ratio = 4;
    const Entry zeros = cubin_entry(80, Bytes(1 << 20), Codec::zstd);
    const Container too_dense = read(build_container({zeros}), limits);
    REQUIRE(codes(too_dense.problems) == Texts{"CAG404"});
    CHECK_THAT(too_dense.problems[0].message, ContainsSubstring("times"));
}

TEST_CASE("a payload for another architecture than its header says is a problem") {
    const Container container = read(build_container({cubin_entry(80, cubin_with("k", 90)), ptx_entry(80, ptx_with("k", "sm_90"))}));
    REQUIRE(codes(container.problems) == Texts{"CAG402", "CAG402"});
    CHECK_THAT(container.problems[0].message, ContainsSubstring("image sm_80: its payload is for sm_90"));
    CHECK_THAT(container.problems[1].message, ContainsSubstring("compute_90"));
}

TEST_CASE("LTO-IR is not expanded") {
    Entry ltoir = cubin_entry(90, Bytes(100, std::byte{0x33}), Codec::zstd);
    ltoir.kind = 8;
    const Container container = read(build_container({ltoir}));
    CHECK(container.problems.empty());
    CHECK(container.payloads.empty());
    CHECK(listed(container.images) == Texts{"ltoir 90"});
    CHECK(!container.images[0].payload_read);
}

TEST_CASE("a payload handed to images that it does not belong to is refused") {
    const Input input(build_container({cubin_entry(80, cubin_with("k"))}));
    const auto container = read_container(input.view(), ScanDepth::headers, {});
    std::vector<Image> none;
    std::vector<Problem> problems;
    read_payload(none, container->payloads.at(0), input.view(), {}, problems);
    CHECK(codes(problems) == Texts{"CAG401"});
}

TEST_CASE("where the payload contradicts its header, both are told") {
    const auto read_one = [](const Entry& entry) { return read(build_container({entry})); };
    Entry isa = ptx_entry(80, ptx_with("k"));
    isa.version_minor = 5;
    const Container newer = read_one(isa);
    CHECK(newer.images[0].ptx_isa == PtxIsa{9, 0}); // what the text says
    REQUIRE(newer.problems.size() == 1);
    CHECK_THAT(newer.problems[0].message, ContainsSubstring("PTX 9.0") && ContainsSubstring("9.5"));

    const Container other = read_one(cubin_entry(90, cubin_with("k", 80)));
    CHECK(other.images[0].arch == parse_arch("90"));
    CHECK(other.images[0].payload_arch == parse_arch("80"));
    CHECK(read_one(ptx_entry(90, ptx_with("k", "sm_90a"))).images[0].payload_arch == parse_arch("90a"));
}

TEST_CASE("what keeps a payload from being read is told apart") {
    const auto defect_of = [](Entry entry, auto damage) {
        damage(entry);
        return read(build_container({std::move(entry)})).images.at(0).defect;
    };
    CHECK(defect_of(ptx_entry(80, ptx_with("k")), [](Entry& entry) { entry.payload[entry.payload.size() - 9] = std::byte{0xff}; }) ==
          Defect::no_ptx);
    CHECK(defect_of(cubin_entry(80, cubin_with("k")), [](Entry& entry) { entry.payload[0] = std::byte{0}; }) == Defect::no_cubin);
    CHECK(defect_of(cubin_entry(80, cubin_with("k")), [](Entry&) {}) == Defect::none);
    Bytes compressed = build_container({cubin_entry(80, cubin_with("k"), Codec::zstd)});
    compressed[16 + 64] = std::byte{0};
    CHECK(read(compressed).images.at(0).defect == Defect::does_not_expand);
}

TEST_CASE("text in another language is no damage in comments and strings of PTX") {
    const std::string text = ".version 9.0\n.target sm_80\n// größer\n.file 1 \"/größe.cu\"\n.visible .entry k() { ret; }\n";
    CHECK(listed(read(build_container({ptx_entry(80, text)})).images) == Texts{"ptx 80: k"});
}

TEST_CASE("bare LTO-IR tells its architecture") {
    Bytes bytes(0x40);
    const std::uint32_t magic = 0x7f4e43ed;
    const std::uint16_t fields = 0x18;
    const std::uint16_t arch[] = {1, 900};
    std::memcpy(bytes.data(), &magic, sizeof(magic));
    std::memcpy(bytes.data() + 12, &fields, sizeof(fields));
    std::memcpy(bytes.data() + fields, arch, sizeof(arch));
    const Input input(bytes);
    REQUIRE(is_ltoir(input.view()));
    const auto image = read_ltoir(input.view());
    REQUIRE(image);
    CHECK(image->kind == ImageKind::ltoir);
    CHECK(image->arch == parse_arch("90"));
}
