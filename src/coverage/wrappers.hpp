// Fatbin wrappers: the 24 bytes through which a program registers a container with the CUDA runtime.
//
//    0 u32 magic 0x466243b1    4 u32 version: 1 whole-program or relocatable input, 2 output of a device link
//    8 u64 pointer to the container    16 u64 version 2: pointer to the array of the linked inputs
#pragma once

#include "object/object.hpp"

#include <vector>

namespace cag {

constexpr std::uint64_t wrapper_size = 24;

struct Wrapper {
    std::uint32_t version = 0;
    std::uint64_t offset = 0;    // of the wrapper in the file
    std::uint64_t container = 0; // offset in the file of what it registers
    std::uint64_t inputs = 0;    // version 2: address of the array of inputs, 0 where unknown
};

// The wrapper at `offset`, whose pointer is looked up in `relocated` first and then read in place; nullopt where it is none.
[[nodiscard]] std::optional<Wrapper> read_wrapper(const ByteView& view, const ObjectFile& object, std::uint64_t offset,
                                                  const std::vector<RelocatedPointer>& relocated);

// All wrappers of a section that holds nothing else.
[[nodiscard]] std::vector<Wrapper> read_wrappers(const ByteView& view, const ObjectFile& object, const Section& section,
                                                 const Limits& limits);

} // namespace cag
