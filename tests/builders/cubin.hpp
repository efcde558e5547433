// Cubins as ptxas lays them out: as much of one as readers look at.
#pragma once

#include "builders/damage.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cag::test {

struct CubinKernel {
    std::string name;
    std::vector<std::uint16_t> opcodes = {0x624, 0x986, 0x94d}; // low 12 bits of each 16-byte instruction: MOV, STG, EXIT
    unsigned registers = 10;
};

// Opcodes that ptxas 13.0 writes for kernels of sm_80.
inline const std::vector<std::uint16_t> empty_body = {0xa02, 0x94d};              // MOV R1, c[0][0x28]; EXIT
inline const std::vector<std::uint16_t> trap_body = {0xa02, 0x95c, 0x947, 0x918}; // MOV; BPT.TRAP; BRA; NOP

struct Cubin {
    unsigned sm = 80;
    unsigned abi = 8;       // 7: toolkits up to 12.x, 8: newer
    unsigned toolkit = 130; // 13.0; kept in e_version (abi 7) or in a note (abi 8)
    unsigned virtual_sm = 80;
    bool relocatable = false;
    std::uint32_t more_flags = 0;                   // bits of e_flags beside the SM numbers
    std::optional<std::uint8_t> accelerator_target; // `.nv.compat` attribute 9
    std::string options;                            // `.note.nv.tkinfo`; left out where empty
    bool debug_info = false;                        // a `.debug_info` section
    std::vector<CubinKernel> kernels;
    std::vector<std::string> functions;
    std::vector<std::string> undefined;
    std::vector<std::string> variables;
};

[[nodiscard]] Bytes build(const Cubin& cubin);

// The numbers in the ELF header, the section headers, the symbols and the notes of a cubin that build() made.
[[nodiscard]] std::vector<Field> fields_of_cubin(const Bytes& cubin);

} // namespace cag::test
