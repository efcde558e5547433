#include "image/window.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

// Counts the reads that reach the file.
class CountedSource final : public ByteSource {
  public:
    [[nodiscard]] std::uint64_t size() const override { return 100'000; }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
        ++reads;
        for (std::byte& byte : out) {
            byte = static_cast<std::byte>(offset++ % 251);
        }
        return {};
    }
    mutable int reads = 0;
};

} // namespace

TEST_CASE("pieces that lie close together take one read of the file") {
    const CountedSource source;
    fatbin::Window window{ByteView(source)};
    CHECK(*window.read<std::uint8_t>(16, "a header") == 16);
    CHECK(*window.read<std::uint8_t>(80, "its options") == 80);
    CHECK(source.reads == 1);
    CHECK(*window.read<std::uint8_t>(50'000, "the next header") == 50'000 % 251);
    CHECK(source.reads == 2);
}

TEST_CASE("a window moves forward and keeps what it has read") {
    const CountedSource source;
    fatbin::Window window{ByteView(source)};
    CHECK(window.get(1000, 100, "first"));
    window.advance(1000);
    CHECK(*window.read<std::uint8_t>(0, "again") == 1000 % 251);
    window.advance(50);
    CHECK(*window.read<std::uint8_t>(0, "again") == 1050 % 251);
    CHECK(source.reads == 1);
    CHECK(window.view().position() == 1050);
    window.advance(90'000);
    CHECK(*window.read<std::uint8_t>(0, "far ahead") == 91'050 % 251);
    CHECK(source.reads == 2);
}

TEST_CASE("a window allocates nothing for a size that the file does not have") {
    const CountedSource source;
    fatbin::Window window{ByteView(source)};
    const auto bytes = window.get(10, std::uint64_t{1} << 62, "a table");
    REQUIRE(!bytes);
    CHECK(bytes.error().code == "CAG401");
}
