// GPU architectures as values: what `sm_90a` and `compute_86` name, and what a GPU's compute capability is.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cag {

// A GPU's compute capability, for example 9.0 (H100) or 12.1 (DGX Spark).
struct ComputeCapability {
    unsigned major = 0;
    unsigned minor = 0;

    auto operator<=>(const ComputeCapability&) const = default;
};

// The letter behind an architecture's number. `a` and `f` give up forward compatibility for extra instructions.
enum class Variant : std::uint8_t {
    plain,           // sm_90: this and later minors of the major
    family_specific, // sm_100f: the family, from this minor upward
    arch_specific,   // sm_90a: exactly this compute capability
};

// A target of code generation: `90`, `90a` and `100f`. Whether it means SASS or PTX is said beside it.
// Ordered by number, then plain < f < a; never as text (100 > 75).
struct Arch {
    unsigned major = 0;
    unsigned minor = 0;
    Variant variant = Variant::plain;

    auto operator<=>(const Arch&) const = default;
    [[nodiscard]] unsigned number() const { return major * 10 + minor; } // 90, 120
    [[nodiscard]] ComputeCapability capability() const { return {major, minor}; }
};

// The decimal number of nvcc and of fatbin headers: 75 -> 7.5, 120 -> 12.0.
[[nodiscard]] Arch arch_from_number(unsigned number, Variant variant = Variant::plain);

// "90a". The form of the JSON output, of CMAKE_CUDA_ARCHITECTURES and of nvcc behind `sm_`.
[[nodiscard]] std::string to_string(Arch arch);

// "9.0"
[[nodiscard]] std::string to_string(ComputeCapability capability);

// Reads "90a", "sm_90a" and "compute_90a"; nullopt for anything else.
[[nodiscard]] std::optional<Arch> parse_arch(std::string_view text);

// Reads "9.0"; nullopt for anything else.
[[nodiscard]] std::optional<ComputeCapability> parse_capability(std::string_view text);

} // namespace cag
