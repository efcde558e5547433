// Device-linked programs (relocatable device code): rules 9 to 12 and 14.
//
// The linked images are tried first. Where none serves, the driver links the program's relocatable inputs again while it loads it.
#pragma once

#include "compat/decision.hpp"

#include <cudaarchguard/coverage.hpp>

#include <map>
#include <string_view>

namespace cag::compat {

// A linked module and the inputs that it was linked from, in link order, without the device runtime's.
struct Program {
    const Module* linked = nullptr;
    std::vector<const Module*> inputs;
    bool inputs_are_known = true; // false where they lie in other files, or may belong to another linked module
};

[[nodiscard]] Program program_of(const FileCoverage& file, const Module& linked);

struct ProgramDecision {
    Decision common;                                  // for every kernel that has no decision of its own
    std::map<std::string_view, Decision> own_kernels; // after a relink: whether the kernel's input was taken, and its image;
                                                      // "" stands for kernels of LTO-IR, which tells no names
};

[[nodiscard]] ProgramDecision judge_program(const Program& program, const Situation& situation);

} // namespace cag::compat
