// A shared library with device code in it. Apart from make_inputs.cpp, because the two families of builders share names.
#pragma once

#include "support/bytes.hpp"

#include <vector>

// The containers lie in `.nv_fatbin`, and a wrapper registers each.
[[nodiscard]] cag::Bytes library_with(const std::vector<cag::Bytes>& containers);
