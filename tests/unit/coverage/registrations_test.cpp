// Programs in which several modules register a kernel: under one host function, or each under its own.
#include "coverage/registrations.hpp"
#include "unit/coverage/files.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

// What a program's code does: lea rdx, [name]; mov rcx, rdx; lea rsi, [function] (or mov rsi, [GOT entry]).
struct Registration {
    std::uint64_t name = 0;     // offset in .rodata
    std::uint64_t function = 0; // address
    unsigned char load_function = 0x8d;
};

void load(Bytes& code, std::uint64_t code_address, std::array<unsigned char, 3> opcode, std::uint64_t target) {
    for (const unsigned char byte : opcode) {
        code.push_back(std::byte{byte});
    }
    append(code, static_cast<std::uint32_t>(target - (code_address + code.size() + 4)));
}

HostFile program(const std::vector<Registration>& registrations, std::uint16_t machine = EM_X86_64) {
    const Bytes names = bytes_of(std::string("_Z1kPi\0_Z1kPi\0_Z5otherv\0", 24));
    Bytes code(registrations.size() * 64, std::byte{0x90});
    const auto offsets = build_elf(ET_DYN, {{".rodata", names}, {".text", code}}, machine).offsets;
    code.clear();
    for (const Registration& registration : registrations) {
        const std::size_t begin = code.size();
        load(code, load_address + offsets[1], {0x48, 0x8d, 0x15}, load_address + offsets[0] + registration.name);
        code.insert(code.end(), {std::byte{0x48}, std::byte{0x89}, std::byte{0xd1}});
        load(code, load_address + offsets[1], {0x48, registration.load_function, 0x35}, registration.function);
        code.resize(begin + 64, std::byte{0x90});
    }
    return build_elf(ET_DYN, {{".rodata", names}, {".text", code}}, machine);
}

std::vector<std::string> shared(const HostFile& built) {
    const MemorySource source(built.bytes);
    const auto object = read_elf(ByteView(source), {});
    REQUIRE(object);
    return kernels_with_shared_host_function(ByteView(source), *object, {"_Z1kPi", "_Z5otherv"});
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("two registrations of a kernel with one host function share it, although each has a text of its own") {
    CHECK(shared(program({{0, 0x5000}, {7, 0x5000}})) == Names{"_Z1kPi"});
    CHECK(shared(program({{0, 0x5000, 0x8b}, {7, 0x5000, 0x8b}})) == Names{"_Z1kPi"}); // through the global offset table
}

TEST_CASE("host functions of their own, and a kernel registered once, are not shared") {
    CHECK(shared(program({{0, 0x5000}, {7, 0x6000}})).empty());
    CHECK(shared(program({{0, 0x5000}, {14, 0x5000}})).empty());
}

TEST_CASE("of code that is not understood nothing is said") { CHECK(shared(program({{0, 0x5000}, {7, 0x5000}}, EM_AARCH64)).empty()); }
