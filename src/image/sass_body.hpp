// Does a kernel's machine code do anything? A body that is guarded away by __CUDA_ARCH__ still makes a kernel that loads and runs.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <cstddef>
#include <span>

namespace cag::cubin {

// Bytes of code that are enough to tell.
constexpr std::uint64_t body_probe = 512;

// `code`: the first bytes of a kernel, of an architecture with instructions of 16 bytes (sm_70 and newer); others are unknown.
[[nodiscard]] KernelBody body_of(std::span<const std::byte> code, Arch arch);

} // namespace cag::cubin
