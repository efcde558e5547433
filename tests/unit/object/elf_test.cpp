#include "builders/elf.hpp"
#include "builders/writer.hpp"
#include "object/note.hpp"
#include "object/object.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using cag::test::append;
using cag::test::build_elf;
using cag::test::bytes_of;

namespace {

ObjectFile read(const Bytes& bytes) {
    const MemorySource source(bytes);
    auto object = read_elf(ByteView(source), Limits{});
    REQUIRE(object.has_value());
    return *std::move(object);
}

} // namespace

TEST_CASE("sections keep their names, places and addresses") {
    const auto built =
        build_elf(ET_DYN, {{".nv_fatbin", bytes_of("12345678")}, {".data", bytes_of("abcd"), SHT_PROGBITS, SHF_ALLOC | SHF_WRITE}});
    const ObjectFile object = read(built.bytes);

    CHECK(object.format == "elf");
    CHECK(object.machine == "x86_64");
    CHECK(object.kind == ObjectFile::Kind::shared);
    const Section* fatbin = object.section_named(".nv_fatbin");
    REQUIRE(fatbin != nullptr);
    CHECK(fatbin->offset == built.offsets[0]);
    CHECK(fatbin->size == 8);
    CHECK_FALSE(fatbin->writable);
    CHECK(object.section_named(".data")->writable);
    CHECK(object.offset_of_address(fatbin->address + 3) == fatbin->offset + 3);
    CHECK_FALSE(object.offset_of_address(fatbin->address + 8 + 0x10000).has_value());
    CHECK(object.problems.empty());
}

TEST_CASE("a host of another architecture is read like any other") {
    CHECK(read(build_elf(ET_DYN, {{".nv_fatbin", bytes_of("x")}}, EM_AARCH64).bytes).machine == "aarch64");
}

TEST_CASE("a section that reaches behind the end of the file is one problem, and its first bytes are kept") {
    auto built = build_elf(ET_DYN, {{".nv_fatbin", bytes_of("12345678")}, {".data", bytes_of("abcd")}});
    // Section headers come last; the size of section 1 is made larger than the file.
    Elf64_Ehdr header;
    std::memcpy(&header, built.bytes.data(), sizeof(header));
    const std::uint64_t huge = 1U << 20;
    std::memcpy(built.bytes.data() + header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), &huge, sizeof(huge));

    const ObjectFile object = read(built.bytes);
    REQUIRE(object.problems.size() == 1);
    CHECK(object.problems[0].code == "CAG401");
    CHECK(object.problems[0].message.find(".nv_fatbin") != std::string::npos);
    CHECK(object.problems[0].offset == built.offsets[0]);
    CHECK(object.section_named(".nv_fatbin")->size == built.bytes.size() - built.offsets[0]);
    CHECK(object.section_named(".data")->size == 4);
}

TEST_CASE("a section without bytes may begin behind the end of the file, as .tbss of a stripped program does") {
    auto built = build_elf(ET_DYN, {{".tbss", bytes_of("x"), SHT_NOBITS, SHF_ALLOC | SHF_TLS}});
    Elf64_Ehdr header;
    std::memcpy(&header, built.bytes.data(), sizeof(header));
    const std::uint64_t behind = built.bytes.size() + 100;
    std::memcpy(built.bytes.data() + header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), &behind, sizeof(behind));
    CHECK(read(built.bytes).problems.empty());
}

TEST_CASE("a note is found by its name and type, and what it claims is checked") {
    Bytes note;
    for (const std::uint32_t number : {6U, 8U, 1U}) {
        append(note, number);
    }
    const Bytes text = bytes_of(std::string("Guard\0\0\0content!", 16)); // name and content, each filled to four bytes
    note.insert(note.end(), text.begin(), text.end());
    const auto built = build_elf(ET_DYN, {{".note.guard", note, SHT_NOTE, SHF_ALLOC}});
    const MemorySource source(built.bytes);
    const ObjectFile object = read(built.bytes);
    const Section& section = *object.section_named(".note.guard");

    const auto found = find_note(ByteView(source), section, "Guard", 1);
    REQUIRE(found);
    CHECK(found->offset == built.offsets[0] + 20);
    CHECK(found->size == 8);
    CHECK_FALSE(find_note(ByteView(source), section, "Guard", 2));
    CHECK_FALSE(find_note(ByteView(source), section, "Other", 1));

    Section cut = section;
    cut.size = 24; // the content claims more than the section has
    CHECK_FALSE(find_note(ByteView(source), cut, "Guard", 1));
}

TEST_CASE("a file cut before its section table says so") {
    auto built = build_elf(ET_DYN, {{".nv_fatbin", bytes_of("12345678")}});
    built.bytes.pop_back();
    CHECK_FALSE(read(built.bytes).problems.empty());
}

TEST_CASE("a big-endian file is refused with what was expected and found") {
    auto built = build_elf(ET_DYN, {});
    built.bytes[EI_DATA] = std::byte{ELFDATA2MSB};
    const MemorySource source(built.bytes);
    const auto object = read_elf(ByteView(source), Limits{});
    REQUIRE_FALSE(object.has_value());
    CHECK(object.error().message.find("expected little-endian") != std::string::npos);
}

TEST_CASE("relocations of an object tell where a pointer will point") {
    // Section 1 holds the pointer, section 2 what it points to, 3 the symbols, 4 the relocations of section 1.
    Bytes symbols;
    append(symbols, Elf64_Sym{});
    Elf64_Sym symbol{};
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
    symbol.st_shndx = 2;
    append(symbols, symbol);
    Bytes relocations;
    append(relocations, Elf64_Rela{8, ELF64_R_INFO(1, R_X86_64_64), 16});
    const auto built = build_elf(ET_REL, {{".nvFatBinSegment", Bytes(24)},
                                          {".nv_fatbin", Bytes(64)},
                                          {".symtab", symbols, SHT_SYMTAB, 0, 0, 0, sizeof(Elf64_Sym)},
                                          {".rela.nvFatBinSegment", relocations, SHT_RELA, SHF_INFO_LINK, 3, 1, sizeof(Elf64_Rela)}});
    const MemorySource source(built.bytes);
    const auto pointers = relocated_pointers(ByteView(source), 1, Limits{});
    REQUIRE(pointers.size() == 1);
    CHECK(pointers[0].offset == built.offsets[0] + 8);
    CHECK(pointers[0].target == built.offsets[1] + 16);
}

TEST_CASE("every header field set to an extreme value is survived") {
    const auto built = build_elf(ET_DYN, {{".nv_fatbin", bytes_of("12345678")}, {".data", bytes_of("abcd")}});
    Elf64_Ehdr header;
    std::memcpy(&header, built.bytes.data(), sizeof(header));
    std::vector<std::size_t> places;
    for (std::size_t i = EI_CLASS; i < sizeof(Elf64_Ehdr); ++i) {
        places.push_back(i);
    }
    for (std::size_t i = header.e_shoff; i < built.bytes.size(); ++i) {
        places.push_back(i);
    }
    for (const std::size_t place : places) {
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            Bytes damaged = built.bytes;
            damaged[place] = static_cast<std::byte>(value);
            const MemorySource source(damaged);
            const auto object = read_elf(ByteView(source), Limits{});
            if (object) { // whatever it reads lies inside the file
                for (const Section& section : object->sections) {
                    CHECK(ByteView(source).contains(section.offset, section.size));
                }
            }
            (void)relocated_pointers(ByteView(source), 1, Limits{});
            (void)symbols_named(ByteView(source), "x", Limits{});
        }
    }
}
