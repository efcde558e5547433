// The table package x GPU.
#pragma once

#include "doctor/doctor.hpp"

namespace cag {

// What the files [first, last) of the coverage do on each GPU, and which architectures they hold. Fills sass, ptx, files and cells.
// `vendor`: NVIDIA's closed libraries, which choose by GPU and hold special code for one GPU only in places.
void judge_subject(const Coverage& coverage, const std::vector<std::size_t>& files, const Examination& examination, bool vendor,
                   InstalledCode& subject);

} // namespace cag
