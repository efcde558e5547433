// Does what is on this machine fit together: an examination (what was read), and a diagnosis (what follows from it).
#pragma once

#include "policy/requirement.hpp"
#include "support/limits.hpp"
#include "survey/inventory.hpp"
#include "survey/machine.hpp"

#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cag {

enum class CellKind : std::uint8_t {
    runs,    // machine code for this GPU
    jit,     // by compiling PTX at load
    part,    // some modules are for other GPUs: normal where a library chooses by GPU
    few,     // modules are missing that other GPUs have
    fails,   // nothing in it runs
    unknown, // the tables do not say
};

// What a package does on one GPU. Counted in modules, since headers tell those and reading gigabytes of kernels would tell little more.
struct GpuAnswer {
    CellKind kind = CellKind::unknown;
    std::size_t served = 0; // modules that run, by SASS or JIT
    std::size_t jit = 0;
    std::size_t total = 0;
    std::uint64_t jit_bytes = 0;    // of PTX that would be compiled
    std::optional<CudaError> error; // of the modules that fail, the commonest
    std::string reason;             // of that
    std::vector<std::string> fixes;
};

// One row of the table: something with device code.
struct InstalledCode {
    std::string name;        // "torch"
    std::string version;     // "2.8.0+cu128"
    std::string environment; // prefix of the Python environment; "" for a program
    bool program = false;    // asked for by path
    std::string cuda;        // the release it was built with, as it says: "12.8"
    std::string claims;      // the architectures it says it has: "sm_75 sm_80"; "" where it says nothing
    std::vector<Arch> sass;  // what its binaries hold
    std::vector<Arch> ptx;
    std::size_t files = 0;        // with device code
    std::vector<GpuAnswer> cells; // one a GPU
};

// A GPU to judge for: one of the machine, or one that was asked for.
struct JudgedGpu {
    Gpu gpu;
    Driver driver;
    std::optional<std::size_t> machine; // index in Machine::gpus
    std::string label;                  // "NVIDIA H200 (9.0)"
};

struct Examination {
    Machine machine;
    Inventory inventory;
    std::vector<std::string> programs; // asked for by path
    Coverage coverage;                 // of the packages' and programs' files
    std::vector<JudgedGpu> gpus;
    bool driver_known = false; // else the newest that drives the GPU is assumed
    std::vector<InstalledCode> subjects;
    std::vector<Problem> unread; // what could not be read: the answer is not whole
    // Of the caches: files whose code serves none of the GPUs.
    std::vector<std::pair<std::string, std::string>> stale; // path, what it holds
    std::vector<std::string> plans;                         // TensorRT engines among the programs
    std::vector<std::string> collisions;                    // kernels that two of the files hold with different architectures
};

struct PossibleCause {
    std::string code; // "CAG305"
    Level level = Level::error;
    std::string title; // the answer in one line
    std::vector<std::string> evidence;
    std::vector<std::string> fixes; // the cheapest first
};

struct Diagnosis {
    std::string verdict;
    std::vector<PossibleCause> causes;                         // the likeliest first
    std::vector<std::pair<std::string, std::string>> versions; // the numbers that all say CUDA, told apart
    bool undecided = false;                                    // there is no GPU to judge for, or something could not be read
};

struct DoctorOptions {
    std::vector<std::string> paths;   // programs and libraries to judge, with the libraries that they load
    std::vector<std::string> pythons; // prefixes of Python environments; empty: those that are found
    std::vector<Gpu> gpus;            // in place of the machine's
    std::optional<Driver> driver;     // in place of the machine's
    Limits limits;
    unsigned threads = 0;
};

[[nodiscard]] Examination examine(const Host& host, Machine machine, const DoctorOptions& options);
[[nodiscard]] Diagnosis diagnose(const Examination& examination);

[[nodiscard]] const char* to_string(CellKind kind); // "runs", "jit", "part", "few", "fails", "unknown"

} // namespace cag
