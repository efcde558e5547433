// From paths to bytes: every format gives the members that were packed, nesting has its limit, and damage is said.
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>

using namespace cag;
using namespace cag::test;

namespace {

const std::string code = "CODE" + std::string(20000, 'x');
const std::vector<Member> packed{{"lib/a.so", code + "a"}, {"readme", "text"}, {"lib/b.so", code + "b"}};

std::vector<Member> below(const std::string& outer) { return {{outer + "!lib/a.so", code + "a"}, {outer + "!lib/b.so", code + "b"}}; }

std::string deb_of(const std::vector<Member>& members) {
    std::string out = "!<arch>\n";
    for (const auto& [name, content] : members) {
        out += fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 100644, content.size()) + content;
        out += content.size() % 2 == 1 ? "\n" : "";
    }
    return out;
}

} // namespace

TEST_CASE("the members of every format are the files that were packed") {
    const Folder folder;
    folder.write("a.whl", archive_of("zip", packed, "deflate"));
    folder.write("stored.zip", archive_of("zip", packed, "store"));
    for (const char* format : {"ustar", "pax", "gnutar", "newc"}) {
        folder.write(std::string(format), archive_of(format, packed));
    }
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd"}) {
        folder.write(std::string("tar.") + filter, archive_of("ustar", packed, filter));
    }
    for (const std::string& name : folder.names()) {
        INFO(name);
        const Seen seen = walk(folder, {name});
        CHECK(seen.files == below(name));
        CHECK(seen.problems.empty());
    }
}

TEST_CASE("packages of Debian and conda") {
    const Folder folder;
    folder.write("a.deb", deb_of({{"debian-binary", "2.0\n"},
                                  {"control.tar.gz", archive_of("ustar", {{"control", "text"}}, "gzip")},
                                  {"data.tar.xz", archive_of("ustar", packed, "xz")}}));
    CHECK(walk(folder, {"a.deb"}).files == below("a.deb!data.tar.xz"));
    folder.write("a.conda", archive_of("zip", {{"metadata.json", "{}"}, {"pkg.tar.zst", archive_of("ustar", packed, "zstd")}}, "store"));
    CHECK(walk(folder, {"a.conda"}).files == below("a.conda!pkg.tar.zst"));
}

TEST_CASE("one compressed file is named by the file without its suffix") {
    const Folder folder;
    folder.write("libx.so.gz", archive_of("raw", {{"ignored", code}}, "gzip"));
    CHECK(walk(folder, {"libx.so.gz"}).files == std::vector<Member>{{"libx.so.gz!libx.so", code}});
}

TEST_CASE("archives in archives, down to the limit and no further") {
    const Folder folder;
    std::string inner = archive_of("zip", packed, "deflate");
    for (const char* level : {"1", "2", "3"}) {
        inner = archive_of("ustar", {{std::string("inner") + level, inner}}, "gzip");
    }
    folder.write("outer", inner);
    CollectionOptions options = options_for_tests();
    CHECK(walk(folder, {"outer"}, options).files == below("outer!inner3!inner2!inner1"));
    options.limits.max_depth = 3;
    CHECK(walk(folder, {"outer"}, options).problems == std::vector<std::string>{"CAG404 outer!inner3!inner2!inner1"});
}

TEST_CASE("streams that are cut, and names that climb out") {
    const Folder folder;
    for (const char* filter : {"", "gzip", "bzip2", "xz", "zstd"}) {
        const std::string whole = archive_of("ustar", packed, filter);
        folder.write("cut", whole.substr(0, whole.size() / 2));
        INFO(filter);
        CHECK_FALSE(walk(folder, {"cut"}).problems.empty());
        folder.write("climbs", archive_of("ustar", {{"../../evil.so", code}, {"/abs.so", code}}, filter));
        CHECK(walk(folder, {"climbs"}).problems == std::vector<std::string>{"CAG412 climbs!../../evil.so", "CAG412 climbs!/abs.so"});
    }
    CHECK(folder.names() == std::vector<std::string>{"climbs", "cut"});
}

TEST_CASE("a member of a stream that expands to more than is allowed") {
    const Folder folder;
    folder.write("bomb", archive_of("ustar", {{"bomb.so", "CODE" + std::string(std::size_t{4} << 20, '\0')}}, "gzip"));
    CollectionOptions options = options_for_tests();
    options.limits.max_member = 1 << 20;
    CHECK(walk(folder, {"bomb"}, options).problems == std::vector<std::string>{"CAG404 bomb!bomb.so"});
}

TEST_CASE("texts are given where they are asked for, small ones only") {
    const Folder folder;
    folder.write(
        "a.whl",
        archive_of("zip", {{"x.dist-info/METADATA", "Name: x\nVersion: 1\n"}, {"big/METADATA", std::string(2 << 20, 'n')}}, "deflate"));
    CollectionOptions options = options_for_tests();
    CHECK(walk(folder, {"a.whl"}, options).files.empty());
    options.wants_text = [](const std::string& name) { return name.ends_with("METADATA"); };
    CHECK(walk(folder, {"a.whl"}, options).files == std::vector<Member>{{"a.whl!x.dist-info/METADATA", "Name: x\nVersion: 1\n"}});
}

TEST_CASE("the way through the input only goes forward and ends at its end") {
    const Folder folder;
    folder.write("d/a.so", code);
    folder.write("d/b.whl", zip_of(packed));
    folder.write("d/c.tar", archive_of("ustar", packed));
    folder.write("d/d.tar.gz", archive_of("ustar", packed, "gzip"));
    folder.write("d/notes", "text");
    folder.write("e.whl", zip_of(packed));
    std::uint64_t size = 0;
    for (const std::string& name : folder.names()) {
        size += std::filesystem::is_regular_file(folder.path(name)) ? std::filesystem::file_size(folder.path(name)) : 0;
    }
    const Seen seen = walk(folder, {"e.whl", "d"});
    CHECK(seen.way.front().total == 0); // the folder is not listed yet
    CHECK(seen.way.back().passed == size);
    CHECK(seen.way.back().total == size);
    for (std::size_t i = 1; i < seen.way.size(); ++i) {
        CHECK(seen.way[i].passed >= seen.way[i - 1].passed);
    }
}
