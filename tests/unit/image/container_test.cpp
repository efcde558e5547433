#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/writer.hpp"
#include "listing.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

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

const std::string ptx_text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

// Headers are at 0, 16 and behind; reads everything unless told otherwise.
std::vector<Container> read(const Bytes& section, std::vector<Problem>& problems, ScanDepth depth = ScanDepth::headers,
                            const Limits& limits = {}) {
    const Input input(section);
    return read_containers(input.view(), depth, limits, problems);
}

std::uint64_t stored_bytes(const Container& container) {
    std::uint64_t sum = container.header_bytes + container.padding_bytes + container.unexplained_bytes;
    for (const Image& image : container.images) {
        sum += image.size;
    }
    return sum;
}

} // namespace

TEST_CASE("the header alone tells kind, architecture with suffix, ISA, debug, options and source") {
    Entry specific = cubin_entry(90, cubin_with("k", 90));
    specific.flags |= 0x100000;
    Entry family = cubin_entry(100, cubin_with("k", 100));
    family.flags |= 0x200000;
    Entry debug = cubin_entry(75, cubin_with("k", 75), Codec::zstd);
    debug.flags |= 0x2;
    debug.source = "kernels.cu";
    Entry ptx = ptx_entry(120, ptx_text, Codec::lz4, 9, 5);
    ptx.options = "--compile-only  ";
    Entry ltoir;
    ltoir.kind = 8;
    ltoir.sm = 86;
    ltoir.payload = bytes_of("\xed\x43\x4e\x7f....");

    const Input input(build_container({specific, family, debug, ptx, ltoir}));
    const auto container = read_container(input.view(), ScanDepth::headers, {});
    REQUIRE(container);
    CHECK(container->problems.empty());
    CHECK(container->offset == 0);
    CHECK(container->size == input.bytes().size());
    CHECK(stored_bytes(*container) == container->size);
    CHECK(container->unexplained_bytes == 0);
    CHECK(listed(container->images) == Texts{"sass 90a", "sass 100f", "sass 75", "ptx 120", "ltoir 86"});

    const auto& images = container->images;
    CHECK(!images[0].debug);
    CHECK(images[0].compression == Compression::none);
    CHECK(images[0].size == specific.payload.size());
    CHECK(!images[0].payload_read);
    CHECK(images[2].debug);
    CHECK(images[2].source == "kernels.cu");
    CHECK(images[2].compression == Compression::zstd);
    CHECK(images[2].expanded_size == debug.payload.size());
    CHECK(images[2].size < debug.payload.size());
    CHECK(images[3].compression == Compression::lz4);
    CHECK(images[3].ptx_isa == PtxIsa{9, 5});
    CHECK(images[3].relocatable);
    CHECK(images[3].options == "--compile-only");
    CHECK(images[4].relocatable);
    CHECK(!images[0].ptx_isa);
}

TEST_CASE("the payload's place is its place in the file, whatever view the section is") {
    const Bytes container = build_container({cubin_entry(80, cubin_with("k"))});
    const Input input(joined({Bytes(40), container}));
    const auto section = input.view().sub(40, container.size(), "section");
    const auto read = read_container(*section, ScanDepth::headers, {});
    REQUIRE(read);
    CHECK(read->offset == 40);
    CHECK(read->images.at(0).offset == 40 + 16 + 64);
}

TEST_CASE("a copy of .nv.compat in the options record is no text") {
    Entry entry = cubin_entry(100, cubin_with("k", 100));
    entry.flags |= 0x1000000;
    entry.options = std::string("\0\x02\x09\x01", 4);
    std::vector<Problem> problems;
    const auto containers = read(build_container({entry}), problems);
    CHECK(containers.at(0).images.at(0).options.empty());
    CHECK(all_problems(containers, problems).empty());
}

TEST_CASE("containers follow each other, with and without zero padding, down to a NUL at the section's end") {
    const Bytes first = build_container({cubin_entry(80, cubin_with("a"))});
    const Bytes empty = build_container({});
    const Bytes last = build_container({cubin_entry(90, cubin_with("b", 90)), ptx_entry(80, ptx_text)});
    std::vector<Problem> problems;
    const auto containers = read(joined({first, empty, Bytes(8), last, Bytes(1)}), problems, ScanDepth::payload);
    CHECK(all_problems(containers, problems).empty());
    REQUIRE(containers.size() == 3);
    CHECK(containers[1].images.empty());
    CHECK(containers[1].size == 16);
    CHECK(containers[2].offset == first.size() + 16 + 8);
    CHECK(listed(containers) == Texts{"sass 80: a", "sass 90: b", "ptx 80: k"});
}

TEST_CASE("a section of zeros or of nothing has no containers and no problems") {
    std::vector<Problem> problems;
    CHECK(read({}, problems).empty());
    CHECK(read(Bytes(1000), problems).empty());
    CHECK(problems.empty());
}

TEST_CASE("a whole container inside a payload is payload") {
    const Bytes inner = build_container({cubin_entry(75, cubin_with("inner", 75))});
    Entry carrier;
    carrier.kind = 8;
    carrier.payload = inner;
    std::vector<Problem> problems;
    const auto containers = read(joined({build_container({carrier}), build_container({cubin_entry(80, cubin_with("k"))})}), problems);
    CHECK(listed(containers) == Texts{"ltoir 80", "sass 80"});
    CHECK(all_problems(containers, problems).empty());
}

TEST_CASE("unknown kinds and codecs are named, and what lies beside them is read") {
    Entry index = cubin_entry(80, Bytes(16));
    index.kind = 0x20;
    Entry future = cubin_entry(80, Bytes(16));
    future.kind = 0x1234;
    Entry codec = cubin_entry(80, Bytes(16));
    codec.flags |= 0x1000;
    std::vector<Problem> problems;
    const auto containers = read(build_container({index, future, codec, cubin_entry(80, cubin_with("k"))}), problems, ScanDepth::payload);
    REQUIRE(containers.size() == 1);
    const auto& images = containers[0].images;
    CHECK(images.at(0).kind == ImageKind::unknown);
    CHECK(images.at(0).label == "kind 0x20 (index)");
    CHECK(images.at(1).label == "kind 0x1234");
    CHECK(images.at(2).compression == Compression::unknown);
    CHECK(images.at(2).label == "codec flags 0x1011");
    CHECK(!images.at(2).payload_read);
    CHECK(listed(images.at(3)) == "sass 80: k");
    CHECK(codes(containers[0].problems) == Texts{"CAG405", "CAG405", "CAG405"});
}

TEST_CASE("a damaged entry is one problem that says place, field, value and what was expected") {
    Bytes section = build_container({cubin_entry(80, cubin_with("a")), cubin_entry(86, cubin_with("b", 86)), ptx_entry(86, ptx_text)});
    const auto fields = fields_of_containers(section);
    const auto field =
        std::find_if(fields.begin(), fields.end(), [](const Field& f) { return f.name == "container 0, entry 1: header size"; });
    REQUIRE(field != fields.end());
    std::memset(section.data() + field->offset, 0, field->size); // 0 would be an endless loop

    std::vector<Problem> problems;
    const auto containers = read(section, problems);
    CHECK(listed(containers) == Texts{"sass 80", "ptx 86"});
    REQUIRE(containers.at(0).problems.size() == 1);
    const Problem& problem = containers[0].problems[0];
    CHECK(problem.code == "CAG402");
    CHECK(problem.offset == field->offset);
    CHECK_THAT(problem.message, ContainsSubstring("container at 0x0, entry 1"));
    CHECK_THAT(problem.message, ContainsSubstring("'header size' is 0x0, expected a multiple of 8, 64 or more"));
    CHECK(stored_bytes(containers[0]) == containers[0].size);
    CHECK(containers[0].unexplained_bytes > 0);
}

TEST_CASE("a container whose own size is wrong keeps its entries") {
    const Bytes first = build_container({cubin_entry(80, cubin_with("a")), ptx_entry(80, ptx_text)});
    const Bytes second = build_container({cubin_entry(90, cubin_with("b", 90))});
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{40}, std::uint64_t{1} << 40, first.size() - 16 + 8}) {
        Bytes section = joined({first, second});
        std::memcpy(section.data() + 8, &wrong, sizeof(wrong));
        std::vector<Problem> problems;
        const auto containers = read(section, problems);
        CAPTURE(wrong);
        CHECK(listed(containers) == Texts{"sass 80", "ptx 80", "sass 90"});
        REQUIRE(containers.size() == 2);
        CHECK(containers[0].size == first.size());
        CHECK(codes(containers[0].problems) == Texts{"CAG402"});
        CHECK(problems.empty());
    }
}

TEST_CASE("a section that is cut short still lists what lies before the cut") {
    const Bytes whole = build_container({cubin_entry(80, cubin_with("a")), cubin_entry(90, cubin_with("b", 90))});
    const Bytes cut(whole.begin(), whole.end() - 100);
    std::vector<Problem> problems;
    const auto containers = read(cut, problems);
    CHECK(listed(containers) == Texts{"sass 80"});
    const auto all = all_problems(containers, problems);
    CHECK(codes(all) == Texts{"CAG401", "CAG401"}); // the container's size, the entry's size
    CHECK_THAT(all[0].message, ContainsSubstring("cut short"));
}

TEST_CASE("garbage between containers is a problem of the section, and the next container is found") {
    const Bytes container = build_container({cubin_entry(80, cubin_with("k"))});
    Bytes garbage(24, std::byte{0x5a});
    std::vector<Problem> problems;
    const auto containers = read(joined({container, garbage, container}), problems);
    CHECK(containers.size() == 2);
    REQUIRE(codes(problems) == Texts{"CAG402"});
    CHECK(problems[0].offset == container.size());
}

TEST_CASE("a damaged magic that begins with zeros hides its own container only") {
    const Bytes container = build_container({cubin_entry(80, cubin_with("k"))});
    for (const std::size_t zeros : {1U, 2U, 3U, 4U}) {
        Bytes damaged = container;
        std::fill_n(damaged.begin(), zeros, std::byte{0});
        std::vector<Problem> problems;
        CHECK(read(joined({container, damaged, container}), problems).size() == 2);
        CHECK(codes(problems) == Texts{"CAG402"});
    }
}

TEST_CASE("bytes that cannot be read are a problem, not the end of the section") {
    class BrokenSource final : public ByteSource {
      public:
        [[nodiscard]] std::uint64_t size() const override { return 100'000; }
        [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
            if (offset + out.size() > 4096) {
                return failure("CAG401", "the file has become shorter", offset);
            }
            std::ranges::fill(out, std::byte{0});
            return {};
        }
    };
    const BrokenSource source;
    std::vector<Problem> problems;
    CHECK(read_containers(ByteView(source), ScanDepth::headers, {}, problems).empty());
    CHECK(codes(problems) == Texts{"CAG401"});
}

TEST_CASE("the number of images has a limit") {
    const Entry entry = cubin_entry(80, Bytes(8));
    Limits limits;
    limits.max_images = 3;
    std::vector<Problem> problems;
    const auto containers = read(build_container({entry, entry, entry, entry}), problems, ScanDepth::headers, limits);
    CHECK(listed(containers).size() == 3);
    CHECK(codes(all_problems(containers, problems)) == Texts{"CAG404"});

    const Bytes one = build_container({entry});
    problems.clear();
    CHECK(read(joined({one, one, one}), problems, ScanDepth::headers, limits).size() == 2);
    CHECK(codes(problems) == Texts{"CAG404"});
}

TEST_CASE("both letters at once are damage") {
    Entry entry = cubin_entry(100, cubin_with("k", 100));
    entry.flags |= 0x300000;
    std::vector<Problem> problems;
    const auto containers = read(build_container({entry}), problems);
    CHECK(codes(all_problems(containers, problems)) == Texts{"CAG402"});
}

TEST_CASE("a container is recognised by its structure, not by its magic") {
    const Bytes container = build_container({cubin_entry(80, cubin_with("k"))});
    CHECK(is_container(Input(container).view()));
    CHECK(is_container(Input(build_container({})).view()));
    CHECK(!is_container(Input({}).view()));
    CHECK(!is_container(Input(Bytes(container.begin(), container.begin() + 20)).view())); // shorter than it says
    CHECK(!is_container(Input(joined({bytes_of("\x50\xed\x55\xba"), Bytes(100)})).view()));
    Bytes bad_entry = container;
    bad_entry[16 + 4] = std::byte{7}; // header size
    CHECK(!is_container(Input(bad_entry).view()));

    const Input data(joined({Bytes(12, std::byte{1}), bytes_of("\x50\xed\x55\xba"), Bytes(64, std::byte{2}), container}));
    CHECK(find_container(data.view(), 0) == 80);
    CHECK(find_container(data.view(), 81) == std::nullopt);
}

TEST_CASE("data behind an embedded container is not its business") {
    const Bytes container = build_container({cubin_entry(80, cubin_with("k"))});
    const Input data(joined({container, Bytes(100, std::byte{0x77})}));
    const auto read = read_container(data.view(), ScanDepth::payload, {});
    REQUIRE(read);
    CHECK(read->size == container.size());
    CHECK(read->problems.empty());
    CHECK(listed(read->images) == Texts{"sass 80: k"});
}
