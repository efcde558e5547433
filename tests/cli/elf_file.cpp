#include "cli/elf_file.hpp"

#include "unit/coverage/files.hpp"

using cag::Bytes;

Bytes library_with(const std::vector<Bytes>& containers) {
    using namespace cag::test;
    if (containers.empty()) {
        return build_elf(ET_DYN, {{".rodata", bytes_of("no device code")}}).bytes;
    }
    const auto build = [&](std::uint64_t fatbin_offset) {
        Bytes fatbin;
        Bytes wrappers;
        for (const Bytes& container : containers) {
            wrappers = wrappers + wrapper(1, load_address + fatbin_offset + fatbin.size());
            fatbin = fatbin + container;
        }
        return build_elf(ET_DYN, {{".nvFatBinSegment", wrappers}, {".nv_fatbin", fatbin}});
    };
    return build(build(0).offsets[1]).bytes; // the first pass tells where the section lies
}
