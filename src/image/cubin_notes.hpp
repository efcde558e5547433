// What a cubin records about its making: toolkit, architectures, the compiler's options.
#pragma once

#include "image/cubin_elf.hpp"

#include <cudaarchguard/arch.hpp>

#include <string>

namespace cag::cubin {

struct Origin {
    Arch arch;
    std::optional<Arch> compiled_for; // the virtual architecture
    std::string toolkit;              // "13.0", or empty
    std::string options;              // of ptxas or nvlink
    std::optional<bool> warpgroup;    // see Image::warpgroup
};

// The number and, where anything in the cubin tells it, the letter of the architecture.
[[nodiscard]] Result<Origin> read_origin(const Elf& elf);

} // namespace cag::cubin
