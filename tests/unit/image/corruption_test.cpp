// Every header field damaged and every boundary cut: nothing may crash or hang, and what is not damaged must still be listed.
#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/writer.hpp"
#include "listing.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using namespace cag::test;

namespace {

const std::string ptx_text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry p() { ret; }\n";

Bytes cubin_with(const std::string& kernel, unsigned sm) {
    Cubin cubin;
    cubin.sm = sm;
    cubin.kernels = {{kernel}};
    cubin.options = "-arch sm_" + std::to_string(sm);
    return build(cubin);
}

// Three containers; the middle one has one entry of each sort.
struct Sample {
    Bytes before = build_container({cubin_entry(75, cubin_with("before", 75))});
    Bytes middle;
    Bytes after = build_container({cubin_entry(90, cubin_with("after", 90), Codec::zstd)});

    Sample() {
        Entry ptx = ptx_entry(80, ptx_text, Codec::lz4);
        ptx.options = "--compile-only";
        ptx.source = "source.cu";
        middle = build_container({
            cubin_entry(80, cubin_with("plain", 80)),
            ptx,
            concat_group({cubin_entry(86, cubin_with("first", 86)), cubin_entry(89, cubin_with("second", 89))}),
            cubin_entry(100, cubin_with("packed", 100), Codec::zstd),
        });
    }
    [[nodiscard]] Bytes whole() const { return joined({before, middle, after}); }
};

// The images' texts by the entry of the middle container that they belong to.
const std::vector<Texts> images_of_entry = {{"sass 80: plain"}, {"ptx 80: p"}, {"sass 86: first", "sass 89: second"}, {"sass 100: packed"}};

struct Reading {
    Texts images;
    std::vector<Problem> problems;
};

Reading read(const Bytes& bytes) {
    const Input input(bytes);
    Reading reading;
    const auto containers = read_containers(input.view(), ScanDepth::payload, {}, reading.problems);
    reading.images = listed(containers);
    reading.problems = all_problems(containers, reading.problems);
    std::uint64_t end = 0;
    for (const Container& container : containers) {
        CHECK(container.offset >= end); // no byte is told twice
        end = container.offset + container.size;
        std::uint64_t sum = container.header_bytes + container.padding_bytes + container.unexplained_bytes;
        for (const Image& image : container.images) {
            sum += image.size;
        }
        CHECK(sum == container.size); // and none is forgotten
    }
    CHECK(end <= bytes.size());
    return reading;
}

bool lists(const Texts& images, const std::string& image) { return std::ranges::find(images, image) != images.end(); }

} // namespace

TEST_CASE("the undamaged sample is whole") {
    const Reading reading = read(Sample().whole());
    CHECK(reading.problems.empty());
    CHECK(reading.images == Texts{"sass 75: before", "sass 80: plain", "ptx 80: p", "sass 86: first", "sass 89: second", "sass 100: packed",
                                  "sass 90: after"});
}

TEST_CASE("damage to one header field leaves all other entries and containers listed") {
    const Sample sample;
    const Bytes whole = sample.whole();
    const std::size_t start = sample.before.size();
    for (const Damage& damage : damaged_fields(whole, fields_of_containers(whole))) {
        if (damage.offset < start || damage.offset >= start + sample.middle.size()) {
            continue;
        }
        CAPTURE(damage.name);
        const Reading reading = read(damage.bytes);
        CHECK(lists(reading.images, "sass 75: before"));
        CHECK(lists(reading.images, "sass 90: after"));
        const bool is_magic = damage.name.find("magic") != std::string::npos; // without it there is no container
        for (std::size_t entry = 0; entry < images_of_entry.size() && !is_magic; ++entry) {
            const bool is_damaged_one = damage.name.find("entry " + std::to_string(entry)) != std::string::npos;
            for (const std::string& image : images_of_entry[entry]) {
                CHECK((is_damaged_one || lists(reading.images, image)));
            }
        }
    }
}

TEST_CASE("damage to the first or last container leaves the middle one listed") {
    const Bytes whole = Sample().whole();
    for (const Damage& damage : damaged_fields(whole, fields_of_containers(whole))) {
        if (damage.name.starts_with("container 1")) {
            continue;
        }
        CAPTURE(damage.name);
        const Reading reading = read(damage.bytes);
        for (const Texts& images : images_of_entry) {
            CHECK(lists(reading.images, images.front()));
        }
    }
}

TEST_CASE("damage that takes an image away is always reported") {
    const Bytes whole = Sample().whole();
    const std::size_t images = read(whole).images.size();
    for (const Damage& damage : damaged_fields(whole, fields_of_containers(whole))) {
        const Reading reading = read(damage.bytes);
        CAPTURE(damage.name);
        CHECK((reading.images.size() >= images || !reading.problems.empty()));
    }
}

TEST_CASE("input cut anywhere lists what lies before the cut and reports the rest") {
    const Sample sample;
    const Bytes whole = sample.whole();
    for (const Damage& damage : cut_short(whole, boundaries_of_containers(whole))) {
        CAPTURE(damage.name);
        const Reading reading = read(damage.bytes);
        const bool between = damage.bytes.empty() || damage.bytes.size() == sample.before.size() ||
                             damage.bytes.size() == sample.before.size() + sample.middle.size();
        CHECK(reading.problems.empty() == between);
        CHECK((damage.bytes.size() < sample.before.size() || lists(reading.images, "sass 75: before")));
        CHECK((damage.bytes.size() < sample.before.size() + sample.middle.size() || lists(reading.images, "sass 100: packed")));
    }
}

TEST_CASE("a concat group without members, or with empty ones, leaves its stored bytes unexplained and says so") {
    const std::uint32_t none = 0;
    const std::uint64_t nothing = 0;
    Bytes bytes = build_container({concat_group({cubin_entry(86, cubin_with("first", 86))})});
    std::memcpy(bytes.data() + 16 + 64, &none, sizeof(none));       // the table's count
    std::memcpy(bytes.data() + 16 + 56, &nothing, sizeof(nothing)); // the expanded size
    const Reading reading = read(bytes);                            // checks that the sizes add up
    CHECK(reading.images.empty());
    CHECK_FALSE(reading.problems.empty());
}

TEST_CASE("a damaged cubin is read or refused, whatever the field") {
    Cubin cubin;
    cubin.kernels = {{"one"}, {"two", empty_body}};
    cubin.functions = {"helper"};
    cubin.undefined = {"outside"};
    cubin.variables = {"counter"};
    cubin.options = "-arch sm_80";
    cubin.accelerator_target = 0;
    for (const unsigned abi : {7U, 8U}) {
        cubin.abi = abi;
        const Bytes whole = build(cubin);
        for (const Damage& damage : damaged_fields(whole, fields_of_cubin(whole))) {
            CAPTURE(damage.name);
            const Input input(damage.bytes);
            const auto image = read_cubin(input.view(), ScanDepth::payload, {});
            CHECK((image || image.error().code.starts_with("CAG40")));
            CHECK((!image || image->size <= damage.bytes.size()));
            const Bytes section = joined({build_container({cubin_entry(80, damage.bytes), cubin_entry(86, cubin_with("next", 86))})});
            CHECK(lists(read(section).images, "sass 86: next"));
        }
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const Input input(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            CAPTURE(size);
            CHECK(!read_cubin(input.view(), ScanDepth::payload, {})); // the section table comes last
        }
    }
}

TEST_CASE("a chain that is broken everywhere is searched in bounded time") {
    // Thousands of entries that each look right and lead on, but never to the container's end.
    Bytes container = build_container(std::vector<Entry>(20'000, cubin_entry(80, {})));
    std::uint32_t broken = 0;
    std::memcpy(container.data() + 16 + 4, &broken, sizeof(broken));
    std::memcpy(container.data() + container.size() - 64 + 4, &broken, sizeof(broken));
    Limits limits;
    limits.max_images = 100'000;
    const Input input(container);
    std::vector<Problem> problems;
    const auto containers = read_containers(input.view(), ScanDepth::headers, limits, problems);
    CHECK(!all_problems(containers, problems).empty());
}
