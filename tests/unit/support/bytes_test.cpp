#include "support/bytes.hpp"
#include "support/parallel.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

using namespace cag;

namespace {

Bytes counting(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>(i);
    }
    return bytes;
}

} // namespace

TEST_CASE("a read inside the view gives the bytes, one outside gives a problem with name and place") {
    const Bytes bytes = counting(16);
    const MemorySource source(bytes);
    const ByteView view = ByteView(source).sub(4, 8, "part").value();

    CHECK(view.read<std::uint16_t>(0, "field").value() == 0x0504);
    const auto outside = view.read<std::uint32_t>(6, "entry header");
    REQUIRE_FALSE(outside.has_value());
    CHECK(outside.error().code == "CAG401");
    CHECK(outside.error().message.find("entry header") != std::string::npos);
    CHECK(outside.error().offset == 10);
}

TEST_CASE("offsets near the largest number do not wrap around") {
    const Bytes bytes = counting(16);
    const MemorySource source(bytes);
    const ByteView view(source);
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

    CHECK_FALSE(view.sub(largest, 2, "x").has_value());
    CHECK_FALSE(view.sub(2, largest, "x").has_value());
    CHECK_FALSE(view.read<std::uint64_t>(largest - 3, "x").has_value());
    CHECK(view.from(largest).empty());
}

TEST_CASE("a copy larger than the limit is refused before memory is taken") {
    const Bytes bytes = counting(16);
    const MemorySource source(bytes);
    const auto copy = ByteView(source).bytes(15, "table");
    REQUIRE_FALSE(copy.has_value());
    CHECK(copy.error().code == "CAG404");
}

TEST_CASE("a text without an end, or outside its table, is none") {
    const Bytes table{std::byte{'a'}, std::byte{'b'}, std::byte{0}, std::byte{'c'}};
    CHECK(text_at(table, 1) == "b");
    CHECK_FALSE(text_at(table, 3).has_value());
    CHECK_FALSE(text_at(table, 4).has_value());
}

TEST_CASE("a parallel loop visits every item once, and an exception reaches the caller") {
    for (const unsigned threads : {1U, 2U, 7U}) {
        std::vector<std::atomic<int>> visits(1000);
        parallel_for(visits.size(), threads, [&](std::size_t i) { ++visits[i]; });
        CHECK(std::accumulate(visits.begin(), visits.end(), 0) == 1000);
        CHECK_THROWS_AS(parallel_for(10, threads,
                                     [](std::size_t i) {
                                         if (i == 3) {
                                             throw std::runtime_error("x");
                                         }
                                     }),
                        std::runtime_error);
    }
    parallel_for(0, 4, [](std::size_t) { FAIL("no items"); });
}
