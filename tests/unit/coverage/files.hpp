// Host files with device code in them, for tests: containers of one PTX image each, and the wrappers that register them.
#pragma once

#include "unit/object/elf_builder.hpp"

#include <fmt/format.h>

#include <string>

namespace cag::test {

// PTX for compute_<target> with one kernel.
inline std::string ptx(unsigned target, std::string_view kernel) {
    return fmt::format("//\n// made by a test\n//\n.version 9.0\n.target sm_{}\n.address_size 64\n.visible .entry {}()\n{{\n\tmov.u32 %r1, "
                       "1;\n\tst.global.u32 [%rd1], "
                       "%r1;\n\tret;\n}}\n",
                       target, kernel);
}

// An uncompressed container with one PTX image.
inline Bytes container(unsigned target, std::string_view kernel, std::string_view extra_text = {}) {
    Bytes payload = bytes_of(ptx(target, kernel) + std::string(extra_text));
    payload.resize((payload.size() + 8) / 8 * 8); // NUL at the end, then a multiple of eight
    Bytes bytes;
    append(bytes, std::uint32_t{0xba55ed50});
    append(bytes, std::uint16_t{1});
    append(bytes, std::uint16_t{16});
    append(bytes, std::uint64_t{64 + payload.size()});

    append(bytes, std::uint16_t{1}); // PTX
    append(bytes, std::uint16_t{0x0101});
    append(bytes, std::uint32_t{64});
    append(bytes, std::uint64_t{payload.size()});
    append(bytes, std::uint32_t{0}); // not compressed
    append(bytes, std::uint32_t{0});
    append(bytes, std::uint16_t{0}); // ISA 9.0
    append(bytes, std::uint16_t{9});
    append(bytes, std::uint32_t{target});
    append(bytes, std::uint64_t{0});
    append(bytes, std::uint64_t{0x11}); // 64-bit, Linux
    append(bytes, std::uint64_t{0});
    append(bytes, std::uint64_t{0});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

inline Bytes wrapper(std::uint32_t version, std::uint64_t pointer) {
    Bytes bytes;
    append(bytes, std::uint32_t{0x466243b1});
    append(bytes, version);
    append(bytes, pointer);
    append(bytes, std::uint64_t{0});
    return bytes;
}

inline Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

} // namespace cag::test
