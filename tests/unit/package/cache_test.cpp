// The cache: the same answer as reading, for content that was read before, and for nothing else.
#include "package/cache.hpp"
#include "package/serial.hpp"
#include "unit/policy/model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cag;
using namespace cag::test;

namespace fs = std::filesystem;

namespace {

class Place {
  public:
    Place() : path_(fs::temp_directory_path() / ("cag-cache-test-" + std::to_string(::getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { fs::remove_all(path_); }

    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    // One that has not changed for a while: changes of the last seconds are not trusted.
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return (path_ / name).string();
    }
    [[nodiscard]] std::unique_ptr<ScanCache> open(const std::string& kind = "kind") const {
        auto cache = ScanCache::open(*this / "scans.sqlite", kind);
        REQUIRE(cache);
        return *std::move(cache);
    }
    void run(const std::string& statement) const {
        sqlite3* database = nullptr;
        REQUIRE(sqlite3_open((*this / "scans.sqlite").c_str(), &database) == SQLITE_OK);
        CHECK(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        CHECK(sqlite3_changes(database) > 0);
        sqlite3_close(database);
    }

  private:
    fs::path path_;
};

Coverage read_of(const std::string& path, const char* arch = "80") {
    Coverage coverage{{file({registered({sass(arch)})}, path)}};
    coverage.texts = {{path, "a/METADATA", "Name: a"}};
    return coverage;
}

void wait_until_settled() { ::sleep(3); }

void keep(const Place& place, const std::string& path) {
    const auto cache = place.open();
    REQUIRE_FALSE(cache->get(path));
    cache->put(read_of(path));
}

} // namespace

TEST_CASE("what was read is known again: by the file's identity, and by its content") {
    const Place place;
    const std::string path = place.write("a.so", "CODE");
    wait_until_settled();
    keep(place, path);
    const auto known = place.open()->get(path);
    REQUIRE(known);
    CHECK(to_bytes(*known) == to_bytes(read_of(path)));

    // A copy under another name is another file with the same content.
    const std::string copy = place.write("b.so", "CODE");
    const std::string other = place.write("c.so", "CODX");
    wait_until_settled();
    const auto cache = place.open();
    const auto copied = cache->get(copy);
    REQUIRE(copied);
    CHECK(copied->files.at(0).path == copy);
    CHECK_FALSE(cache->get(other));
    // What depends on something else than the content is another result.
    CHECK_FALSE(place.open("other limits")->get(path));
}

TEST_CASE("other content is never taken for what was read, whatever its dates say") {
    const Place place;
    const std::string path = place.write("a.so", "CODE one");
    wait_until_settled();
    keep(place, path);
    struct stat before {};
    REQUIRE(::stat(path.c_str(), &before) == 0);
    place.write("a.so", "CODE two");
    const timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    CHECK_FALSE(place.open()->get(path)); // changed a moment ago
    wait_until_settled();
    CHECK_FALSE(place.open()->get(path));
}

TEST_CASE("a file that changes while it is read is not kept") {
    const Place place;
    const std::string path = place.write("a.so", "CODE one");
    wait_until_settled();
    {
        const auto cache = place.open();
        REQUIRE_FALSE(cache->get(path));
        place.write("a.so", "CODE two");
        cache->put(read_of(path));
    }
    wait_until_settled();
    CHECK_FALSE(place.open()->get(path));
    place.write("a.so", "CODE one");
    wait_until_settled();
    CHECK_FALSE(place.open()->get(path));
}

TEST_CASE("files with problems, and thin archives, whose members lie elsewhere, are not kept") {
    const Place place;
    const std::string path = place.write("a.so", "CODE");
    const std::string thin = place.write("thin.a", "!<thin>\nCODE");
    wait_until_settled();
    const auto cache = place.open();
    REQUIRE_FALSE(cache->get(path));
    REQUIRE_FALSE(cache->get(thin));
    Coverage read = read_of(path);
    read.files[0].problems.push_back({"CAG401", "cut short", {}});
    read.files.push_back(read_of(thin).files[0]);
    cache->put(read);
    CHECK_FALSE(place.open()->get(path));
    CHECK_FALSE(place.open()->get(thin));
}

TEST_CASE("the only member of a compressed file has the file's name, and so is not known under another") {
    const Place place;
    const std::string path = place.write("liba.so.gz", "CODE");
    wait_until_settled();
    {
        const auto cache = place.open();
        REQUIRE_FALSE(cache->get(path));
        Coverage read = read_of(path);
        read.files[0].member = "liba.so";
        cache->put(read);
    }
    CHECK(place.open()->get(path));
    const std::string copy = place.write("libb.so.gz", "CODE");
    wait_until_settled();
    CHECK_FALSE(place.open()->get(copy));
}

TEST_CASE("a result that was changed in the cache is not believed") {
    const Place place;
    const std::string path = place.write("a.so", "CODE");
    const std::string other = place.write("b.so", "CODE of another file");
    wait_until_settled();
    keep(place, path);
    keep(place, other);
    CHECK(place.open()->get(path));
    // Another architecture, by whoever may write to the file.
    place.run("UPDATE results SET result = replace(result, x'6b', x'6c')");
    CHECK_FALSE(place.open()->get(path));
    // A whole result in the place of another one.
    {
        const auto cache = place.open();
        REQUIRE_FALSE(cache->get(path));
        REQUIRE_FALSE(cache->get(other));
        Coverage both = read_of(path, "80");
        both.files.push_back(read_of(other, "90").files[0]);
        cache->put(both);
    }
    CHECK(place.open()->get(path));
    place.run("UPDATE results SET (result, seal) = (SELECT result, seal FROM results ORDER BY content LIMIT 1)");
    CHECK((place.open()->get(path).has_value() != place.open()->get(other).has_value()));
}

TEST_CASE("a cache that others may write to is not used") {
    const Place place;
    { const auto cache = place.open(); }
    const std::string path = place / "scans.sqlite";
    CHECK((fs::status(path).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    const auto refused = ScanCache::open(path, "kind");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "CAG408");
    fs::remove(path);
    fs::create_symlink(place / "elsewhere", path);
    CHECK_FALSE(ScanCache::open(path, "kind"));
    CHECK_FALSE(fs::exists(place / "elsewhere"));
}

TEST_CASE("bytes that are cut or longer than they should be are no result") {
    const std::string bytes = to_bytes(read_of("a.so"));
    REQUIRE(coverage_from_bytes(bytes));
    CHECK(to_bytes(*coverage_from_bytes(bytes)) == bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_FALSE(coverage_from_bytes(bytes.substr(0, size)));
    }
    CHECK_FALSE(coverage_from_bytes(bytes + '\0'));
    std::string long_name = bytes;
    long_name[8] = '\xff'; // the length of the first text: more than there is
    CHECK_FALSE(coverage_from_bytes(long_name));
}
