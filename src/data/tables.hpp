// What is known about toolkits, drivers and GPUs. The JSON files of this folder, each figure with its source, compiled into arrays:
// a lookup costs no parsing.
#pragma once

#include <cudaarchguard/arch.hpp>
#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cag::data {

struct Toolkit {
    CudaVersion release;
    PtxIsa ptx_isa;
    Arch default_arch;                     // of nvcc without -arch
    std::span<const Arch> real;            // sm_*, ascending
    std::span<const Arch> virtual_archs;   // compute_*, ascending
    std::string_view driver;               // the Linux driver that was released with it: "580.65.06"
    std::optional<unsigned> oldest_driver; // branch from which minor-version compatibility runs its SASS; nullopt: no such promise
    bool compress_mode = false;            // has --compress-mode
    bool concat = false;                   // has -concat
    unsigned gcc_max = 0;                  // newest host compilers that nvcc takes; 0: not known
    unsigned clang_max = 0;
};

struct DriverBranch {
    unsigned branch = 0; // 580
    CudaVersion cuda;
    PtxIsa max_ptx;
    ComputeCapability oldest_gpu;
    ComputeCapability newest_gpu;
    std::span<const ComputeCapability> not_yet; // inside the range, and not driven
};

struct PtxVersion {
    PtxIsa isa;
    CudaVersion cuda;
    unsigned driver_branch = 0; // the first that compiles it
};

struct Family {
    Arch target; // 100f
    std::span<const ComputeCapability> serves;
};

struct Generation {
    std::string_view name; // "Ampere"
    std::span<const ComputeCapability> capabilities;
};

struct Chip {
    std::string_view name; // "GH100"
    std::optional<ComputeCapability> capability;
    std::string_view architecture; // "Hopper"
    std::string_view platform;     // "datacenter"
};

struct Product {
    std::string_view name; // "GeForce RTX 3090"
    ComputeCapability capability;
    std::string_view architecture;
    std::string_view platform;               // "desktop", "workstation", "datacenter", "tegra", "soc"
    std::span<const ComputeCapability> also; // other capabilities sold under this name
};

struct PciDevice {
    std::uint16_t device = 0; // of vendor 10de
    ComputeCapability capability;
    std::string_view chip;
    std::string_view name;
};

// A published build of a framework, with the architectures that it is built for.
struct FrameworkBuild {
    std::string_view framework; // "pytorch", "tensorflow", "cupy"
    std::string_view version;   // "2.8.0"; a range or a branch in some rows
    std::string_view cuda;      // "12.8"
    std::span<const Arch> sass;
    std::span<const Arch> ptx;
    std::string_view source;
};

// What a line of a failed build or run means. `$1` in the texts is the first group of the expression.
struct LogPattern {
    std::string_view id;
    std::string_view match;   // regular expression for one line, case ignored
    std::string_view context; // another that must match some line of the log; "" for none
    std::string_view code;    // "CAG301"; "" for none
    std::string_view cause;
    std::span<const std::string_view> fixes;
    bool asynchronous = false; // the error belongs to an earlier launch than the line that shows it
};

// What is said of a diagnostic code; see policy/codes.hpp.
struct Rule {
    std::string_view code;    // "CAG101"
    std::string_view level;   // "error", "warning", "note"
    std::string_view title;   // one line, no full stop
    std::string_view what;    // was found
    std::string_view why;     // it matters
    std::string_view how;     // to put it right
    std::string_view fix;     // the same as one line
    std::string_view example; // several lines
};

struct RetiredRule {
    std::string_view code; // given to nothing else
    std::string_view now;  // the rule that says it today
};

// When a table was last held against its sources.
struct TableDate {
    std::string_view table;
    std::string_view day; // "2026-11-30"
};

struct TegraChip {
    std::string_view compatible; // of the device tree: "nvidia,tegra234"
    std::string_view name;       // "Orin"
    ComputeCapability capability;
};

struct ErrorName {
    int code = 0;
    std::string_view name;
};

// All ascending: by release, branch, ISA, target, code, device id.
[[nodiscard]] std::span<const Toolkit> toolkits();
[[nodiscard]] std::span<const DriverBranch> driver_branches();
[[nodiscard]] std::span<const PtxVersion> ptx_versions();
[[nodiscard]] std::span<const Family> families();
[[nodiscard]] std::span<const Generation> generations();
[[nodiscard]] std::span<const Chip> chips();
[[nodiscard]] std::span<const Product> products();
[[nodiscard]] std::span<const PciDevice> pci_devices();
[[nodiscard]] std::span<const FrameworkBuild> framework_builds(); // by framework, oldest first
[[nodiscard]] std::span<const LogPattern> log_patterns();         // those that explain more first
[[nodiscard]] std::span<const Rule> rules();                      // by code
[[nodiscard]] std::span<const RetiredRule> retired_rules();
[[nodiscard]] std::span<const TableDate> table_dates();
[[nodiscard]] std::span<const TegraChip> tegra_chips();
[[nodiscard]] std::span<const ErrorName> error_names();

[[nodiscard]] const Toolkit* find_toolkit(CudaVersion release);
[[nodiscard]] const DriverBranch* find_driver_branch(unsigned branch);
[[nodiscard]] const PciDevice* find_pci_device(std::uint16_t device);
[[nodiscard]] const Chip* find_chip(std::string_view name);             // case does not matter
[[nodiscard]] const Generation* find_generation(std::string_view name); // case does not matter
[[nodiscard]] const Family* find_family(Arch target);
[[nodiscard]] const TegraChip* find_tegra_chip(std::string_view compatible);

// "cudaErrorNoKernelImageForDevice"; "" for a code that the table does not know.
[[nodiscard]] std::string_view error_name(int code);

// Embedded GPUs (Jetson, DRIVE): SASS does not go from desktop GPUs to them, nor back. 10.1 and 11.0 are Thor's old and new number.
[[nodiscard]] bool is_tegra(ComputeCapability capability);

// True where some chip has it: 9.0 and 8.9, not 9.1.
[[nodiscard]] bool is_known_capability(ComputeCapability capability);

// "Ada"; "" for an unknown capability.
[[nodiscard]] std::string_view architecture_of(ComputeCapability capability);

struct ReleaseRange {
    CudaVersion first;
    CudaVersion last;
};

// The toolkits that build an architecture; nullopt where none ever did.
[[nodiscard]] std::optional<ReleaseRange> toolkits_building(Arch arch);

// Products that a name can mean: those of exactly that name, else those whose names hold the phrase, else those that hold all its words.
// Case, punctuation and words that say only who sells it do not matter.
[[nodiscard]] std::vector<const Product*> find_products(std::string_view name);

// Names that share words with an unknown one, the most alike first.
[[nodiscard]] std::vector<std::string> similar_products(std::string_view name, std::size_t count);

} // namespace cag::data
