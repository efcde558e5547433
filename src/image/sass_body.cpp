// Look at a kernel's instructions with `cuobjdump -sass`, at its opcodes with `nvdisasm -hex`: the low 12 bits of each 16-byte instruction.
// The size alone does not tell: an empty kernel and one with a single store both take 256 bytes from sm_80 on.
#include "image/sass_body.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace cag::cubin {

namespace {

constexpr std::uint64_t instruction_size = 16;
constexpr unsigned exit_opcode = 0x94d;
constexpr unsigned trap_opcode = 0x95c; // BPT.TRAP

// What ptxas puts before the EXIT of a kernel that does nothing: moves and loads of parameters, never a store, a branch or a call.
constexpr std::array without_effect = {
    0x202U, 0x802U, 0xa02U, // MOV: register, immediate, constant
    0xb82U,                 // LDC
    0x389U,                 // SHFL, in the prologue of sm_70
    0x918U,                 // NOP
    0x992U, 0x9abU, 0x5abU, // fences at the end of kernels compiled with -G
};

} // namespace

KernelBody body_of(std::span<const std::byte> code, Arch arch) {
    if (arch.major < 7 || code.empty()) {
        return KernelBody::unknown;
    }
    for (; code.size() >= instruction_size; code = code.subspan(instruction_size)) {
        std::uint64_t instruction = 0;
        std::memcpy(&instruction, code.data(), sizeof(instruction));
        const unsigned opcode = instruction & 0xfff;
        const bool unconditional = (instruction >> 12 & 0xf) == 7; // predicate PT
        if (opcode == exit_opcode && unconditional) {
            return KernelBody::empty;
        }
        if (opcode == trap_opcode && unconditional) {
            return KernelBody::trap;
        }
        if (std::ranges::find(without_effect, opcode) == without_effect.end()) {
            return KernelBody::code;
        }
    }
    return KernelBody::code;
}

} // namespace cag::cubin
