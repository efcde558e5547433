// Host files with device code in them, for tests: containers of one PTX image each, and the wrappers that register them.
#pragma once

#include "builders/elf.hpp"
#include "builders/fatbin.hpp"
#include "builders/writer.hpp"

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
    return build_container({ptx_entry(target, ptx(target, kernel) + std::string(extra_text))});
}

inline Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

} // namespace cag::test
