// Where device code is found in a host file, and what kind of module it makes.
#include "coverage/scan.hpp"
#include "unit/coverage/files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cag;
using namespace cag::test;

namespace {

FileCoverage scan_one(const Bytes& bytes, ScanDepth depth = ScanDepth::payload) {
    ScanOptions options;
    options.depth = depth;
    const Coverage coverage = scan_bytes(bytes, "test", options);
    REQUIRE(coverage.files.size() == 1);
    return coverage.files.front();
}

// A linked program: the wrappers' pointers are known once the containers' places are, so it is built twice.
HostFile program(const std::vector<std::pair<std::string, Bytes>>& containers,
                 const std::vector<std::pair<std::uint32_t, std::size_t>>& registrations,
                 const std::string& wrapper_section = ".nvFatBinSegment") {
    std::vector<ElfSection> sections;
    for (const auto& [name, bytes] : containers) {
        sections.push_back({name, bytes});
    }
    sections.push_back({wrapper_section, Bytes(24 * registrations.size()), SHT_PROGBITS, SHF_ALLOC | SHF_WRITE});
    const HostFile first = build_elf(ET_DYN, sections);
    Bytes wrappers;
    for (const auto& [version, index] : registrations) {
        wrappers = wrappers + fatbin_wrapper(version, load_address + first.offsets[index]);
    }
    sections.back().bytes = wrappers;
    return build_elf(ET_DYN, sections);
}

} // namespace

TEST_CASE("a container with a wrapper is registered, one without is left over") {
    const Bytes registered = container(80, "k");
    const auto built = program({{".nv_fatbin", registered + container(90, "left_over")}}, {{1, 0}});
    const FileCoverage file = scan_one(built.bytes);

    CHECK(file.problems.empty());
    CHECK(file.role == FileRole::loadable);
    REQUIRE(file.modules.size() == 2);
    CHECK(file.modules[0].kind == ModuleKind::registered);
    CHECK(file.modules[0].offset == built.offsets[0]);
    REQUIRE(file.modules[0].images.size() == 1);
    CHECK(to_string(file.modules[0].images[0].arch) == "80");
    REQUIRE(file.modules[0].images[0].kernels.size() == 1);
    CHECK(file.modules[0].images[0].kernels[0].name == "k");
    CHECK(file.modules[1].kind == ModuleKind::unregistered);
}

TEST_CASE("a device-linked container and its relocatable inputs belong together") {
    const auto built = program({{"__nv_relfatbin", container(80, "a") + container(80, "b")}, {".nv_fatbin", container(80, "a")}}, {{2, 1}});
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 3);
    CHECK(file.modules[0].kind == ModuleKind::relocatable);
    CHECK(file.modules[0].linked_by == 2);
    CHECK(file.modules[1].linked_by == 2);
    CHECK(file.modules[2].kind == ModuleKind::linked);
}

TEST_CASE("with several device links an input goes to the one that holds its kernels") {
    const auto built = program(
        {{"__nv_relfatbin", container(80, "a") + container(80, "b")}, {".nv_fatbin", container(80, "b")}, {"nv2", container(80, "a")}},
        {{2, 1}, {2, 2}});
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 4);
    CHECK(file.modules[0].linked_by == 3);
    CHECK(file.modules[1].linked_by == 2);
}

TEST_CASE("an input whose kernels no device link took is placed by the order in which the links name their inputs") {
    // Two links, of [x] and of [y, z]: z's kernel is in no linked image (its architecture was not linked for).
    Bytes ids = bytes_of(std::string("_x\0_y\0_z\0def _x\0def _y\0def _z\0", 30));
    std::vector<ElfSection> sections{{"__nv_module_id", ids},
                                     {"__nv_relfatbin", container(80, "x") + container(80, "y") + container(90, "z")},
                                     {".nv_fatbin", container(80, "x") + container(80, "y")},
                                     {".nvFatBinSegment", Bytes(48), SHT_PROGBITS, SHF_ALLOC | SHF_WRITE}};
    const std::uint64_t first = load_address + build_elf(ET_DYN, sections).offsets[2];
    sections[3].bytes = fatbin_wrapper(2, first) + fatbin_wrapper(2, first + container(80, "x").size());
    const FileCoverage file = scan_one(build_elf(ET_DYN, sections).bytes);
    REQUIRE(file.modules.size() == 5);
    CHECK(file.modules[0].identity == "_x");
    CHECK(file.modules[0].linked_by == 3);
    CHECK(file.modules[1].linked_by == 4);
    CHECK(file.modules[2].linked_by == 4);
}

TEST_CASE("an object's wrapper points by its relocation") {
    Bytes symbols;
    append(symbols, Elf64_Sym{});
    Elf64_Sym symbol{};
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
    symbol.st_shndx = 1;
    append(symbols, symbol);
    Bytes relocations;
    append(relocations, Elf64_Rela{8, ELF64_R_INFO(1, R_X86_64_64), 0});
    const auto built = build_elf(ET_REL, {{".nv_fatbin", container(86, "k")},
                                          {".nvFatBinSegment", fatbin_wrapper(1, 0), SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
                                          {".symtab", symbols, SHT_SYMTAB, 0, 0, 0, sizeof(Elf64_Sym)},
                                          {".rela.nvFatBinSegment", relocations, SHT_RELA, SHF_INFO_LINK, 3, 2, sizeof(Elf64_Rela)}});
    const FileCoverage file = scan_one(built.bytes);
    CHECK(file.role == FileRole::object);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].kind == ModuleKind::registered);
}

TEST_CASE("renamed sections are found by their content") {
    const auto built = program({{".mine", container(80, "k")}}, {{1, 0}}, ".wrappers");
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].kind == ModuleKind::registered);
    CHECK(file.modules[0].section == ".mine");
}

TEST_CASE("a file whose section table was removed is read by its segments") {
    auto built = program({{".nv_fatbin", container(80, "k")}}, {{1, 0}});
    const std::uint64_t none = 0;
    std::memcpy(built.bytes.data() + offsetof(Elf64_Ehdr, e_shoff), &none, sizeof(none));
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].kind == ModuleKind::registered);
}

TEST_CASE("containers in data sections are embedded, at any alignment") {
    const std::size_t shift = GENERATE(0U, 1U, 3U, 8U);
    const auto built = build_elf(ET_DYN, {{".rodata", Bytes(shift) + container(90, "k") + Bytes(5)}});
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].kind == ModuleKind::embedded);
    CHECK(file.modules[0].section == ".rodata");
    CHECK(file.modules[0].offset == built.offsets[0] + shift);
}

TEST_CASE("PTX text in a data section is a raw module, from its first comment to its end") {
    const std::string text = ptx(75, "k");
    const auto built = build_elf(ET_DYN, {{".rodata", bytes_of(std::string("other\0", 6) + text + '\0' + "more")}});
    const FileCoverage file = scan_one(built.bytes);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].kind == ModuleKind::raw);
    CHECK(file.modules[0].offset == built.offsets[0] + 6);
    CHECK(file.modules[0].size == text.size());
    REQUIRE(file.modules[0].images.size() == 1);
    CHECK(to_string(file.modules[0].images[0].arch) == "75");
}

TEST_CASE("the magic alone makes no module: in code, or inside another container's payload") {
    Bytes lone;
    append(lone, std::uint32_t{0xba55ed50});
    CHECK(scan_one(build_elf(ET_DYN, {{".text", Bytes(7) + lone + Bytes(40)}}).bytes).modules.empty());

    const Bytes inner = container(80, "inner");
    const std::string inner_text(reinterpret_cast<const char*>(inner.data()), inner.size());
    const Bytes outer = container(90, "outer", std::string(1, '\0') + inner_text);
    for (const char* section : {".nv_fatbin", ".rodata"}) {
        const FileCoverage file = scan_one(build_elf(ET_DYN, {{section, outer}}).bytes, ScanDepth::headers);
        REQUIRE(file.modules.size() == 1);
        CHECK(to_string(file.modules[0].images[0].arch) == "90");
    }
}

TEST_CASE("code that crosses the border of two search ranges is found once") {
    constexpr std::size_t range = 32U << 20;
    for (const std::size_t before : {range - 1000, range - 300, range - 130, range - 121}) {
        const auto built = build_elf(ET_DYN, {{".rodata", Bytes(before) + container(90, "k")}});
        CHECK(scan_one(built.bytes, ScanDepth::headers).modules.size() == 1);
    }
}

TEST_CASE("a file cut short lists what is before the cut and says that the rest is missing") {
    auto built = program({{".nv_fatbin", container(80, "first") + container(80, "second")}}, {{1, 0}});
    built.bytes.resize(built.offsets[0] + container(80, "first").size() + 40);
    const FileCoverage file = scan_one(built.bytes);
    CHECK_FALSE(file.problems.empty());
    REQUIRE_FALSE(file.modules.empty());
    CHECK(file.modules[0].images[0].kernels[0].name == "first");
}
