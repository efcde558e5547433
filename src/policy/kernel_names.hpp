// Kernel names for people: `scale(float*, float)` for `_Z5scalePff`.
#pragma once

#include <string>
#include <vector>

namespace cag {

// The name as written in the source; the name itself where it is not mangled.
[[nodiscard]] std::string demangled(const std::string& name);

// For sentences: the parameters of a long name are left out ("gemm<float, 128>(...)"), and what is still long is cut in the middle.
[[nodiscard]] std::string short_name(const std::string& name);

// "a(int*), b() and 7 more": names enough to recognise the source file by, the rest counted.
[[nodiscard]] std::string list_kernels(const std::vector<std::string>& names, std::size_t shown = 3);

} // namespace cag
