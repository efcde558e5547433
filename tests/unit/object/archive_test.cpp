#include "builders/writer.hpp"
#include "object/object.hpp"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using cag::test::bytes_of;

namespace {

std::string member(std::string_view name, std::string_view data) {
    std::string text = fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{}", name, 0, 0, 0, 644, data.size(), data);
    return data.size() % 2 == 0 ? text : text + '\n';
}

Archive read(const std::string& text) {
    const Bytes bytes = bytes_of(text);
    const MemorySource source(bytes);
    return read_archive(ByteView(source), Limits{});
}

} // namespace

TEST_CASE("members come with their names, short, long and BSD's") {
    const std::string text = "!<arch>\n" + member("/", "symbol table") + member("//", "a_name_of_more_than_fifteen.o/\nb.o/\n") +
                             member("a.o/", "odd") + member("/0", "long!") + member("#1/8", std::string("bsd.o\0\0\0data", 12));
    const Archive archive = read(text);
    REQUIRE(archive.members.size() == 3);
    CHECK(archive.problems.empty());
    CHECK(archive.members[0].name == "a.o");
    CHECK(text.substr(archive.members[0].offset, archive.members[0].size) == "odd");
    CHECK(archive.members[1].name == "a_name_of_more_than_fifteen.o");
    CHECK(text.substr(archive.members[1].offset, archive.members[1].size) == "long!");
    CHECK(archive.members[2].name == "bsd.o");
    CHECK(text.substr(archive.members[2].offset, archive.members[2].size) == "data");
}

TEST_CASE("a thin archive names files beside it") {
    const std::string text =
        "!<thin>\n" + member("//", "sub/x.o/\n") + fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "/0", 0, 0, 0, 644, 12345);
    const Archive archive = read(text);
    CHECK(archive.thin);
    REQUIRE(archive.members.size() == 1);
    CHECK(archive.members[0].name == "sub/x.o");
    CHECK(archive.members[0].external);
    CHECK(archive.problems.empty());
}

TEST_CASE("an archive cut short keeps the members before the cut and says which one is damaged") {
    std::string text = "!<arch>\n" + member("a.o/", "whole") + member("b.o/", "0123456789");
    text.resize(text.size() - 4);
    const Archive archive = read(text);
    REQUIRE(archive.members.size() == 2);
    CHECK(archive.members[1].size == 6);
    REQUIRE(archive.problems.size() == 1);
    CHECK(archive.problems[0].code == "CAG401");
    CHECK(archive.problems[0].message.find("b.o") != std::string::npos);
}

TEST_CASE("a size that is no number is a problem; its member ends where the next one begins") {
    std::string text = "!<arch>\n" + member("a.o/", "whole") + member("b.o/", "0123456789") + member("c.o/", "more");
    text[text.find("b.o/") + 48] = 'x';
    const Archive archive = read(text);
    REQUIRE(archive.members.size() == 3);
    CHECK(archive.members[0].size == 5);
    CHECK(text.substr(archive.members[1].offset, archive.members[1].size) == "0123456789");
    CHECK(archive.members[2].name == "c.o");
    REQUIRE(archive.problems.size() == 1);
    CHECK(archive.problems[0].code == "CAG402");
}

TEST_CASE("a size that leads elsewhere is corrected by the next header") {
    for (const char* wrong : {"12", "2 ", "99"}) {
        std::string text = "!<arch>\n" + member("a.o/", "0123456789") + member("b.o/", "more");
        text.replace(text.find("a.o/") + 48, 2, wrong);
        const Archive archive = read(text);
        CAPTURE(wrong);
        REQUIRE(archive.members.size() == 2);
        CHECK(text.substr(archive.members[0].offset, archive.members[0].size) == "0123456789");
        CHECK(archive.members[1].name == "b.o");
        CHECK_FALSE(archive.problems.empty());
    }
}

TEST_CASE("damage that leads back to a table of names ends") {
    // The table's size leads into the middle of nothing, and the search for the next header back to the table.
    std::string text = "!<arch>\n" + member("a.o/", "0123456789") + member("//", "names.o/\n") +
                       "not a header at all, but long enough to be read as one. ";
    text.replace(text.find("a.o/") + 48, 2, "12");
    const Archive archive = read(text);
    CHECK(archive.members.size() == 1);
    CHECK_FALSE(archive.problems.empty());
}

TEST_CASE("every byte of every member header set to extremes is survived") {
    const std::string text = "!<arch>\n" + member("//", "a_name_of_more_than_fifteen.o/\n") + member("/0", "data") + member("b.o/", "more");
    for (std::size_t place = 0; place < text.size(); ++place) {
        for (const char value : {'\0', '9', '/', '\xff', ' '}) {
            std::string damaged = text;
            damaged[place] = value;
            for (const ArchiveMember& entry : read(damaged).members) {
                CHECK(entry.offset + entry.size <= damaged.size());
            }
        }
    }
}
