// Where expanded bytes are kept.
#include "input/storage.hpp"
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

using namespace cag;
using namespace cag::test;

namespace {

// TMPDIR for one test.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::string& path) { ::setenv("TMPDIR", path.c_str(), 1); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { ::unsetenv("TMPDIR"); }
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

} // namespace

TEST_CASE("few bytes stay in memory, more go to a file that has no name") {
    const Folder folder;
    const TemporaryFolder temporary(folder.path());
    for (const std::uint64_t memory : {std::uint64_t{100}, std::uint64_t{7}, std::uint64_t{0}}) {
        Storage storage(memory);
        REQUIRE(storage.append(bytes_of("hello ")));
        REQUIRE(storage.append(bytes_of("world")));
        CHECK(folder.names().empty());
        const auto source = storage.finish();
        REQUIRE(source->size() == 11);
        CHECK(source->in_memory().empty() == (memory < 11));
        std::string read(11, ' ');
        REQUIRE(source->read(0, std::as_writable_bytes(std::span(read))));
        CHECK(read == "hello world");
    }
    CHECK(folder.names().empty());
}

TEST_CASE("a folder without room is said with the way out") {
    const TemporaryFolder temporary("/nonexistent");
    Storage storage(1);
    const auto done = storage.append(bytes_of("hello"));
    REQUIRE_FALSE(done);
    CHECK(done.error().code == "CAG408");
    CHECK(done.error().message.find("TMPDIR") != std::string::npos);
}
