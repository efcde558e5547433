#include "builders/writer.hpp"
#include "object/object.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using cag::test::append;
using cag::test::bytes_of;

namespace {

void pad(Bytes& bytes, std::size_t size) { bytes.resize(size); }

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
}

// A DLL with one section `.nv_fatb`: 4 bytes of content in a block of 512.
Bytes dll() {
    Bytes bytes = bytes_of("MZ");
    pad(bytes, 0x400);
    put<std::uint32_t>(bytes, 0x3c, 0x80);
    std::memcpy(bytes.data() + 0x80, "PE\0\0", 4);
    put<std::uint16_t>(bytes, 0x84, 0x8664);           // machine
    put<std::uint16_t>(bytes, 0x86, 1);                // sections
    put<std::uint16_t>(bytes, 0x94, 112);              // optional header
    put<std::uint16_t>(bytes, 0x96, 0x2000);           // DLL
    put<std::uint16_t>(bytes, 0x98, 0x20b);            // PE32+
    put<std::uint64_t>(bytes, 0x98 + 24, 0x180000000); // image base
    const std::size_t section = 0x98 + 112;
    std::memcpy(bytes.data() + section, ".nv_fatb", 8);
    put<std::uint32_t>(bytes, section + 8, 4);       // virtual size
    put<std::uint32_t>(bytes, section + 12, 0x1000); // virtual address
    put<std::uint32_t>(bytes, section + 16, 0x200);  // raw size
    put<std::uint32_t>(bytes, section + 20, 0x200);  // raw offset
    put<std::uint32_t>(bytes, section + 36, 0x40000040);
    return bytes;
}

} // namespace

TEST_CASE("a DLL's sections have absolute addresses and no block padding") {
    const Bytes bytes = dll();
    const MemorySource source(bytes);
    REQUIRE(is_pe(ByteView(source)));
    const auto object = read_pe(ByteView(source), Limits{});
    REQUIRE(object.has_value());
    CHECK(object->format == "pe");
    CHECK(object->machine == "x86_64");
    CHECK(object->kind == ObjectFile::Kind::shared);
    REQUIRE(object->sections.size() == 1);
    CHECK(object->sections[0].name == ".nv_fatb");
    CHECK(object->sections[0].size == 4);
    CHECK(object->offset_of_address(0x180001002) == 0x202);
}

TEST_CASE("an object's long section name is found in its string table") {
    Bytes bytes(20 + 40);
    put<std::uint16_t>(bytes, 0, 0x8664);
    put<std::uint16_t>(bytes, 2, 1);
    put<std::uint32_t>(bytes, 8, 60); // symbol table: no symbols, then the strings
    std::memcpy(bytes.data() + 20, "/4", 2);
    put<std::uint32_t>(bytes, 20 + 16, 4);
    put<std::uint32_t>(bytes, 20 + 20, 0);
    const std::string strings = std::string("\x15\0\0\0", 4) + ".nvFatBinSegment" + '\0';
    const Bytes table = bytes_of(strings);
    bytes.insert(bytes.end(), table.begin(), table.end());
    const MemorySource source(bytes);
    REQUIRE(is_coff(ByteView(source)));
    const auto object = read_coff(ByteView(source), Limits{});
    REQUIRE(object.has_value());
    CHECK(object->kind == ObjectFile::Kind::relocatable);
    REQUIRE(object->sections.size() == 1);
    CHECK(object->sections[0].name == ".nvFatBinSegment");
    CHECK(object->problems.empty());
}

TEST_CASE("every byte of a DLL's headers set to extremes is survived") {
    const Bytes bytes = dll();
    for (std::size_t place = 0; place < 0x200; ++place) {
        for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
            Bytes damaged = bytes;
            damaged[place] = static_cast<std::byte>(value);
            const MemorySource source(damaged);
            if (const auto object = read_pe(ByteView(source), Limits{})) {
                for (const Section& section : object->sections) {
                    CHECK(ByteView(source).contains(section.offset, section.size));
                }
            }
        }
    }
}
