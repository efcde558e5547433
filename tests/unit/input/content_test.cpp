// What a file is, told from its first bytes; and which names of members are not to be trusted.
#include "input/collection.hpp"
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

Content content(const std::string& head) { return content_of(std::as_bytes(std::span(head)), true, options_for_tests().may_hold_code); }

} // namespace

TEST_CASE("formats are told by their first bytes") {
    const std::vector<Member> members{{"lib.so", "CODE"}};
    CHECK(content(archive_of("zip", members, "deflate")) == Content::zip);
    CHECK(content(std::string("PK\x05\x06") + std::string(18, '\0')) == Content::zip);
    for (const char* tar : {"ustar", "pax", "gnutar"}) {
        CHECK(content(archive_of(tar, members)) == Content::stream);
    }
    CHECK(content(archive_of("newc", members)) == Content::stream);
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd"}) {
        CHECK(content(archive_of("ustar", members, filter)) == Content::stream);
    }
    CHECK(content("!<arch>\ndebian-binary   ") == Content::stream);
    CHECK(content("!<arch>\nfoo.o/          ") == Content::nothing); // a static library: the reader's question, not ours
    CHECK(content("CODE") == Content::code);
    CHECK(content("import os\n") == Content::nothing);
    CHECK(content("") == Content::nothing);
}

TEST_CASE("names that lead out of the folder, in every spelling") {
    for (const char* name :
         {"/etc/passwd", "\\windows", "C:\\evil.dll", "c:evil", "..", "../evil", "a/../../evil", "a\\..\\evil", "a/.."}) {
        INFO(name);
        CHECK_FALSE(unsafe_name(name).empty());
    }
    CHECK_FALSE(unsafe_name(std::string("lib.so\0.txt", 11)).empty());
    for (const char* name : {"lib.so", "./lib.so", "a/b/c", "..lib", "lib..so", "a/...", ""}) {
        INFO(name);
        CHECK(unsafe_name(name).empty());
    }
}

TEST_CASE("what an archive may expand to counts everything that is nested in it") {
    Limits limits;
    limits.max_archive_ratio = 250;
    Expansion small(1000, limits); // always at least 4 GiB
    CHECK(small.take(std::uint64_t{4} << 30));
    CHECK(small.take(1).error().code == "CAG404");

    Expansion large(std::uint64_t{1} << 30, limits);
    CHECK(large.take(std::uint64_t{250} << 30));
    CHECK_FALSE(large.take(1));

    Expansion huge(std::uint64_t{1} << 62, limits); // the product would not fit
    CHECK(huge.take(std::uint64_t{1} << 63));
    CHECK_FALSE(huge.take(std::uint64_t{1} << 63));
}
