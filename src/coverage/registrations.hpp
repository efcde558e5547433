// The host functions under which a program registers its kernels. A launch names the host function, so modules that register one host
// function for their instances of a kernel share it: the CUDA runtime keeps the module registered first.
#pragma once

#include "object/object.hpp"

#include <set>
#include <string>
#include <vector>

namespace cag {

// Which of these kernels have several registrations and one host function for all of them. It is read from the code that calls
// __cudaRegisterFunction; x86-64 programs only, as gcc and clang compile them, others give nothing.
[[nodiscard]] std::vector<std::string> kernels_with_shared_host_function(const ByteView& view, const ObjectFile& object,
                                                                         const std::set<std::string>& kernels);

} // namespace cag
