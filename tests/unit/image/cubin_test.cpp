#include "builders/cubin.hpp"
#include "builders/writer.hpp"
#include "listing.hpp"

#include <catch2/catch_test_macros.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>
#include <elf.h>

#include <algorithm>
#include <array>

using namespace cag;
using namespace cag::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Image read(const Cubin& cubin, ScanDepth depth = ScanDepth::payload) {
    const Input input(build(cubin));
    CHECK(is_cubin(input.view()));
    auto image = read_cubin(input.view(), depth, {});
    REQUIRE(image);
    return *std::move(image);
}

Cubin of(unsigned sm, unsigned abi) {
    Cubin cubin;
    cubin.sm = sm;
    cubin.virtual_sm = sm;
    cubin.abi = abi;
    cubin.toolkit = abi == 7 ? 124 : 130;
    cubin.kernels = {{"k"}};
    return cubin;
}

} // namespace

TEST_CASE("a bare cubin tells architecture, toolkit and the virtual architecture in both ABIs") {
    Cubin old = of(86, 7);
    old.virtual_sm = 80;
    old.toolkit = 118;
    const Image from_old = read(old);
    CHECK(to_string(from_old.arch) == "86");
    CHECK(from_old.toolkit == "11.8");
    CHECK(from_old.compiled_for == arch_from_number(80));

    Cubin recent = of(120, 8);
    recent.virtual_sm = 100;
    const Image from_recent = read(recent);
    CHECK(to_string(from_recent.arch) == "120");
    CHECK(from_recent.toolkit == "13.0");
    CHECK(from_recent.compiled_for == arch_from_number(100));
    CHECK(from_recent.size == build(recent).size());
}

TEST_CASE("the letter of a bare cubin comes from the flags, from .nv.compat or from the recorded options") {
    Cubin hopper = of(90, 7);
    hopper.more_flags = 0x800;
    CHECK(to_string(read(hopper).arch) == "90a");

    Cubin pascal = of(61, 7); // CUDA 9 sets the same bit where it is no `a`
    pascal.more_flags = 0x800;
    pascal.toolkit = 90;
    CHECK(to_string(read(pascal).arch) == "61");
    CHECK(read(pascal).toolkit == "9.0");

    Cubin by_flag = of(100, 8); // 12.9
    by_flag.more_flags = 0x8;
    CHECK(to_string(read(by_flag).arch) == "100a");

    Cubin by_compat = of(90, 8); // 13.x
    by_compat.accelerator_target = 1;
    CHECK(to_string(read(by_compat).arch) == "90a");
    by_compat.accelerator_target = 0;
    CHECK(to_string(read(by_compat).arch) == "90");

    Cubin by_options = of(100, 8);
    by_options.options = "  -arch sm_100f -m 64 ";
    CHECK(to_string(read(by_options).arch) == "100f");
    CHECK(read(by_options).options == "-arch sm_100f -m 64");
}

TEST_CASE("kernels come with code size, registers and what their body does") {
    Cubin cubin;
    cubin.kernels = {{"busy", {0x624, 0x986, 0x94d}, 24}, {"guarded", empty_body, 4}, {"stub", trap_body, 4}};
    cubin.functions = {"helper"};
    cubin.undefined = {"outside", "vprintf"};
    cubin.relocatable = true;
    const Image image = read(cubin);
    REQUIRE(listed(image) == "sass 80: busy guarded stub");
    CHECK(image.relocatable);
    CHECK(image.kernels[0].code_size == 48);
    CHECK(image.kernels[0].registers == 24U);
    CHECK(image.kernels[0].body == KernelBody::code);
    CHECK(image.kernels[1].body == KernelBody::empty);
    CHECK(image.kernels[2].body == KernelBody::trap);
    CHECK(image.functions == Texts{"helper"});
    CHECK(image.undefined == Texts{"outside", "vprintf"});
    CHECK(!image.empty);
}

TEST_CASE("only what has no effect may stand before the EXIT of an empty kernel") {
    const auto body = [](std::vector<std::uint16_t> opcodes, unsigned sm = 80) {
        Cubin cubin = of(sm, 8);
        cubin.kernels = {{"k", std::move(opcodes)}};
        return read(cubin).kernels.at(0).body;
    };
    CHECK(body({0xb82, 0x94d}, 100) == KernelBody::empty);                   // LDC; EXIT
    CHECK(body({0xa02, 0x992, 0x9ab, 0x94d}) == KernelBody::empty);          // -G
    CHECK(body({0xa02, 0x986, 0x94d}) == KernelBody::code);                  // a store
    CHECK(body({0xa02, 0x986, 0x95c}) == KernelBody::code);                  // a store, then the trap
    CHECK(body({0xa02, 0xa02}) == KernelBody::code);                         // no end
    CHECK(body(std::vector<std::uint16_t>(100, 0x918)) == KernelBody::code); // nothing but NOP, as far as is looked at
    CHECK(body({0xa02, 0x94d}, 61) == KernelBody::unknown);                  // instructions of 8 bytes
}

TEST_CASE("an EXIT under a predicate ends nothing") {
    Cubin cubin;
    cubin.kernels = {{"early", {0xb82, 0x94d}}};
    Bytes bytes = build(cubin);
    // The predicate is in bits 12 to 15: P0 in place of PT.
    const std::array exit{std::byte{0x4d}, std::byte{0x79}};
    const auto found = std::search(bytes.begin(), bytes.end(), exit.begin(), exit.end());
    REQUIRE(found != bytes.end());
    *(found + 1) = std::byte{0x09};
    const Input input(bytes);
    CHECK(read_cubin(input.view(), ScanDepth::payload, {})->kernels.at(0).body == KernelBody::code);
}

TEST_CASE("a cubin is empty without kernels, functions and variables") {
    Cubin cubin;
    CHECK(read(cubin).empty);
    cubin.undefined = {"elsewhere"};
    CHECK(read(cubin).empty);
    cubin.variables = {"counter"};
    CHECK(!read(cubin).empty);
    cubin.variables.clear();
    cubin.functions = {"helper"};
    CHECK(!read(cubin).empty);
}

TEST_CASE("headers of a bare cubin are read without its symbols") {
    Cubin cubin = of(90, 8);
    cubin.debug_info = true;
    const Image image = read(cubin, ScanDepth::headers);
    CHECK(image.debug);
    CHECK(image.toolkit == "13.0");
    CHECK(image.kernels.empty());
    CHECK(!image.payload_read);
}

TEST_CASE("a cubin inside other data ends where its headers say") {
    const Bytes cubin = build(of(80, 8));
    const Input data(joined({Bytes(32, std::byte{9}), cubin, Bytes(500, std::byte{9})}));
    const auto image = read_cubin(data.view().from(32), ScanDepth::payload, {});
    REQUIRE(image);
    CHECK(image->offset == 32);
    CHECK(image->size == cubin.size());
    CHECK(listed(*image) == "sass 80: k");
}

TEST_CASE("names have a limit, since many symbols may share one long name") {
    Cubin cubin;
    cubin.functions = {std::string(1500, 'a'), "b"};
    Bytes bytes = build(cubin);
    const auto fields = fields_of_cubin(bytes);
    const auto name_of = [&](const std::string& symbol) {
        return std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == symbol + ": st_name"; })->offset;
    };
    std::memcpy(bytes.data() + name_of("symbol 2"), bytes.data() + name_of("symbol 1"), 4);
    const Input input(bytes);
    Limits limits;
    limits.max_table = 3000; // each table has less
    CHECK(read_cubin(input.view(), ScanDepth::payload, limits));
    limits.max_table = 2999;
    const auto refused = read_cubin(input.view(), ScanDepth::payload, limits);
    REQUIRE(!refused);
    CHECK(refused.error().code == "CAG404");
}

TEST_CASE("what is no cubin is told apart, and a damaged one says which field") {
    Bytes bytes = build(of(80, 8));
    bytes[18] = std::byte{62}; // e_machine: x86_64
    const Input host(bytes);
    CHECK(!is_cubin(host.view()));
    const auto image = read_cubin(host.view(), ScanDepth::payload, {});
    REQUIRE(!image);
    CHECK(image.error().code == "CAG402");
    CHECK_THAT(image.error().message, ContainsSubstring("'e_machine' is 0x3e, expected 0xbe"));
    CHECK(image.error().offset == 18U);

    Cubin newer = of(80, 8);
    newer.abi = 9;
    const Input unknown(build(newer));
    const auto refused = read_cubin(unknown.view(), ScanDepth::payload, {});
    REQUIRE(!refused);
    CHECK(refused.error().code == "CAG405");
}

TEST_CASE("a 32-bit cubin is named and not taken for one that a driver loads") {
    Bytes bytes(sizeof(Elf32_Ehdr) + sizeof(Elf32_Shdr));
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = 190;
    header.e_flags = 0x001e051e; // sm_30
    header.e_shoff = sizeof(header);
    header.e_shnum = 1;
    header.e_shentsize = sizeof(Elf32_Shdr);
    std::memcpy(bytes.data(), &header, sizeof(header));
    const Input input(bytes);
    REQUIRE(is_cubin(input.view()));
    const auto image = read_cubin(input.view(), ScanDepth::payload, {});
    REQUIRE(image.has_value());
    CHECK(image->kind == ImageKind::unknown);
    CHECK(image->label == "32-bit cubin");
    CHECK(to_string(image->arch) == "30");
    CHECK(image->size == bytes.size());
    CHECK_FALSE(image->payload_read);
}
