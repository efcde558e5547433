#include "policy/fixes.hpp"

#include <fmt/format.h>

namespace cag {

std::vector<std::string> fixes_for(const Target& target) {
    const std::string number = to_string(target.arch);
    const bool sass = target.code == Code::sass;
    // TORCH_CUDA_ARCH_LIST: "9.0a" is SASS, "9.0a+PTX" both.
    const std::string dotted = fmt::format("{}.{}{}{}", target.arch.major, target.arch.minor,
                                           number.substr(std::to_string(target.arch.number()).size()), sass ? "" : "+PTX");
    return {
        fmt::format("nvcc: -gencode=arch=compute_{0},code={1}_{0}", number, sass ? "sm" : "compute"),
        fmt::format("CMake: add {}-{} to CMAKE_CUDA_ARCHITECTURES (or to ARCHS of cuda_fatbin_targets())", number,
                    sass ? "real" : "virtual"),
        fmt::format("PyTorch extension: add {} to TORCH_CUDA_ARCH_LIST", dotted),
    };
}

} // namespace cag
