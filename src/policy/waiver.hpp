// A known shortfall that is accepted until a day: findings that it matches do not fail the gate, and stay visible.
#pragma once

#include <cudaarchguard/arch.hpp>

#include <string>
#include <vector>

namespace cag {

struct Waiver {
    std::string code;                 // "CAG101"
    std::vector<std::string> paths;   // patterns of file names; empty: any file
    std::vector<std::string> modules; // patterns of a module's number, id or source; empty: any module
    std::vector<std::string> kernels; // patterns of mangled or readable names; empty: all kernels
    std::vector<Arch> archs;          // empty: any architecture
    std::string reason;
    std::string owner;
    std::string expires; // "2027-01-31": the last day on which it holds
};

// "CAG101 for sm_90 in libold.so until 2027-01-31 (build team: the vendor's binary)", for messages.
[[nodiscard]] std::string to_string(const Waiver& waiver);

} // namespace cag
