#include "builders/writer.hpp"
#include "coverage/finder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using cag::test::bytes_of;

namespace {

std::vector<Candidate> all(const Bytes& bytes, std::uint64_t begin, std::uint64_t end) {
    const MemorySource source(bytes);
    Finder finder(ByteView(source), begin, end);
    std::vector<Candidate> found;
    while (const auto candidate = finder.next()) {
        found.push_back(*candidate);
    }
    return found;
}

void put(Bytes& bytes, std::size_t at, const Bytes& what) { std::ranges::copy(what, bytes.begin() + static_cast<std::ptrdiff_t>(at)); }

const Bytes magic{std::byte{0x50}, std::byte{0xed}, std::byte{0x55}, std::byte{0xba}};

} // namespace

TEST_CASE("a magic is found at every place around the edges of the buffer and of the range") {
    constexpr std::size_t edge = 256U << 10; // the buffer
    for (std::size_t place = edge - 300; place < edge + 300; ++place) {
        Bytes bytes(edge + 600);
        put(bytes, place, magic);
        const auto found = all(bytes, 0, bytes.size());
        REQUIRE(found.size() == 1);
        CHECK(found[0].offset == place);
    }
    Bytes small(100);
    put(small, 96, magic);
    CHECK(all(small, 0, 100).size() == 1);
    CHECK(all(small, 96, 100).size() == 1);
    CHECK(all(small, 97, 100).empty());
    CHECK(all(small, 0, 96).empty());
}

TEST_CASE("each kind is told apart; an ELF file for another machine and a version without a number are none") {
    Bytes cubin = bytes_of(std::string("\x7f"
                                       "ELF",
                                       4));
    cubin.resize(64);
    cubin[18] = std::byte{190};
    Bytes host = cubin;
    host[18] = std::byte{62};
    Bytes bytes(1000);
    put(bytes, 10, magic);
    put(bytes, 101, {std::byte{0xb1}, std::byte{0x43}, std::byte{0x62}, std::byte{0x46}});
    put(bytes, 203, cubin);
    put(bytes, 300, host);
    put(bytes, 400, bytes_of(".version 8.7\n"));
    put(bytes, 500, bytes_of(".version %d.%d\n"));
    const auto found = all(bytes, 0, bytes.size());
    REQUIRE(found.size() == 4);
    CHECK(found[0].kind == Candidate::Kind::container);
    CHECK(found[1].kind == Candidate::Kind::wrapper);
    CHECK(found[2].kind == Candidate::Kind::cubin);
    CHECK(found[2].offset == 203);
    CHECK(found[3].kind == Candidate::Kind::ptx);
    CHECK(found[3].offset == 400);
}

TEST_CASE("what is skipped is not searched") {
    Bytes bytes(1000);
    put(bytes, 10, magic);
    put(bytes, 50, magic);
    put(bytes, 500, magic);
    const MemorySource source(bytes);
    Finder finder(ByteView(source), 0, bytes.size());
    CHECK(finder.next()->offset == 10);
    finder.skip_to(400);
    CHECK(finder.next()->offset == 500);
    finder.skip_to(5); // never back
    CHECK_FALSE(finder.next().has_value());
}
