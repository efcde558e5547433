// Which relocatable inputs belong to which linked module.
#pragma once

#include "coverage/wrappers.hpp"

#include <cudaarchguard/coverage.hpp>

namespace cag {

// Fills FileCoverage::host_references, and Module::identity and Module::linked_by of the relocatable modules, as far as the file tells:
// - one linked module: all inputs are its own;
// - several: the module ids and the sizes of their input arrays, where the file keeps its symbols; else the kernels that both hold, and the
//   order in which the device links name their inputs.
void assign_link_groups(FileCoverage& file, const ByteView& view, const ObjectFile& object, const std::vector<Wrapper>& wrappers,
                        const Limits& limits);

} // namespace cag
