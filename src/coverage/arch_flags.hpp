// The list of architectures that PyTorch keeps as a text in its libraries, and reports as torch.cuda.get_arch_list(): what its build was
// asked for, which is not always what the libraries hold.
#pragma once

#include "object/object.hpp"

#include <cudaarchguard/coverage.hpp>

namespace cag {

// True for the libraries that may have such a text.
[[nodiscard]] bool keeps_arch_flags(const FileCoverage& file);

// "sm_75 sm_80 compute_80"; empty where there is none.
[[nodiscard]] std::string find_arch_flags(const ByteView& view, const ObjectFile& object);

} // namespace cag
