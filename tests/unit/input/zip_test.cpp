// Zip archives that lie about themselves: each lie is named, and the other members are read.
#include "input/zip.hpp"
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstring>

using namespace cag;
using namespace cag::test;

namespace {

const std::string code = "CODE" + std::string(5000, 'x');
const std::vector<Member> members{{"a.so", code + "a"}, {"note.txt", std::string(100, 't')}, {"b.so", code + "b"}};

Seen read(const std::string& bytes, const CollectionOptions& options = options_for_tests()) {
    const Folder folder;
    folder.write("x.whl", bytes);
    return walk(folder, {"x.whl"}, options);
}

void overwrite(std::string& bytes, std::size_t at, std::uint32_t value) { std::memcpy(bytes.data() + at, &value, sizeof value); }

} // namespace

TEST_CASE("members in the order of the directory; those without code are not given") {
    const Seen seen = read(zip_of(members));
    CHECK(seen.files == std::vector<Member>{{"x.whl!a.so", code + "a"}, {"x.whl!b.so", code + "b"}});
    CHECK(seen.problems.empty());
}

TEST_CASE("lies of a member's headers") {
    using Problems = std::vector<std::string>;
    ZipLies lies;
    lies.crc_off_by = 1;
    CHECK(read(zip_of(members, lies)).problems == Problems{"CAG403 x.whl!a.so", "CAG403 x.whl!b.so"});
    lies = {};
    lies.size_off_by = 1;
    CHECK(read(zip_of({members[0]}, lies)).problems == Problems{"CAG403 x.whl!a.so"});
    lies = {};
    lies.flags = 1;
    CHECK(read(zip_of({members[0]}, lies)).problems == Problems{"CAG408 x.whl!a.so"});
    lies = {};
    lies.local_name = "other.so";
    CHECK(read(zip_of({members[0]}, lies)).problems == Problems{"CAG402 x.whl!a.so"});
}

TEST_CASE("a large member is held to its checksum and its size as well when it is expanded piece by piece") {
    CollectionOptions options = options_for_tests();
    options.limits.max_memory = 16 << 10; // 1 KiB a member
    const std::vector<Member> large{{"a.so", "CODE" + std::string(std::size_t{1} << 20, 'x')}};
    CHECK(read(zip_of(large), options).files.size() == 1);
    ZipLies lies;
    lies.crc_off_by = 1;
    CHECK(read(zip_of(large, lies), options).problems == std::vector<std::string>{"CAG403 x.whl!a.so"});
    options.limits.max_member = 1 << 19;
    CHECK(read(zip_of(large), options).problems == std::vector<std::string>{"CAG404 x.whl!a.so"});
}

TEST_CASE("cut at any place: never a whole answer, never a crash") {
    const std::string whole = zip_of(members);
    for (std::size_t size = 4; size < whole.size(); size += 7) {
        INFO(size);
        CHECK_FALSE(read(whole.substr(0, size)).problems.empty());
    }
}

TEST_CASE("bytes in front of the archive shift its offsets") { CHECK(read("#!/bin/sh\nexec unzip\n" + zip_of(members)).files.size() == 2); }

TEST_CASE("a comment that looks like the end of an archive") {
    std::string bytes = zip_of(members);
    const std::string comment = std::string("PK\x05\x06", 4) + std::string(30, '\0');
    const auto size = static_cast<std::uint16_t>(comment.size());
    std::memcpy(bytes.data() + bytes.size() - 2, &size, sizeof size);
    // Which of the two is meant cannot be known; what is not accepted is an answer without the libraries and without a finding.
    const Seen seen = read(bytes + comment);
    CHECK((seen.files.size() == 2 || !seen.problems.empty()));
}

TEST_CASE("a directory that lists fewer members than the end record says") {
    std::string bytes = zip_of(members);
    const auto end = bytes.rfind("PK\x05\x06");
    bytes[end + 8] = bytes[end + 10] = 9;
    const Seen seen = read(bytes);
    CHECK(seen.files.size() == 2);
    CHECK(seen.problems == std::vector<std::string>{"CAG402 x.whl"});
}

TEST_CASE("members that share their bytes are not read") {
    std::string bytes = zip_of({{"a.so", code}, {"b.so", code}});
    const auto second = bytes.rfind("PK\x01\x02");
    overwrite(bytes, second + 42, 0); // the first one's header
    const Seen seen = read(bytes);
    CHECK(seen.files.empty());
    CHECK_FALSE(seen.problems.empty());
    CHECK(seen.problems.front() == "CAG404 x.whl");
}

TEST_CASE("sizes and offsets of more than four gigabytes stand in an extra field") {
    // The directory of an archive of which nothing else is there.
    const auto number = [](std::uint64_t value, std::size_t size) { return std::string(reinterpret_cast<const char*>(&value), size); };
    const std::string name = "big.so";
    const std::string extra = number(1, 2) + number(24, 2) + number(5ULL << 30, 8) + number(4ULL << 30, 8) + number(0, 8);
    const std::string central = "PK\x01\x02" + number(0x002d002d, 4) + number(0, 2) + number(8, 2) + number(0, 8) + number(0xffffffff, 4) +
                                number(0xffffffff, 4) + number(name.size(), 2) + number(extra.size(), 2) + number(0, 8) + number(0, 2) +
                                number(0xffffffff, 4) + name + extra;
    const std::string end =
        std::string("PK\x05\x06") + number(0, 4) + number(1, 2) + number(1, 2) + number(central.size(), 4) + number(0, 4) + number(0, 2);
    const std::string bytes = central + end;
    const MemorySource source(std::as_bytes(std::span(bytes)));
    const ZipDirectory directory = read_zip_directory(ByteView(source), {});
    REQUIRE(directory.members.size() == 1);
    CHECK(directory.members[0].size == 5ULL << 30);
    CHECK(directory.members[0].stored_size == 4ULL << 30);
    CHECK(directory.members[0].header == 0);
}
