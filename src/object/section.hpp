// Shared by the readers of the formats.
#pragma once

#include "object/object.hpp"

namespace cag {

// A section that reaches behind the end of the file keeps the bytes that are there; the loss is a problem.
void clip_to_file(Section& section, const ByteView& file, std::vector<Problem>& problems);

} // namespace cag
