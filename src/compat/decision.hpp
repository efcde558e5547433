// What the rules decide, before it is spread over kernels.
#pragma once

#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cag::compat {

// Switches of the environment that act on loading (rule 6).
struct JitSwitches {
    bool ignore_sass = false; // CUDA_FORCE_PTX_JIT, CUDA_FORCE_JIT
    bool no_jit = false;      // CUDA_DISABLE_PTX_JIT, CUDA_DISABLE_JIT
    std::string ignore_sass_by;
    std::string no_jit_by;
};

// The question: a GPU, a driver and an environment.
struct Situation {
    Situation(const Gpu& gpu, const Driver& driver, const Environment& environment);

    const Gpu& gpu;
    const Driver& driver;
    const Environment& environment;
    JitSwitches jit;
    ComputeCapability capability; // as this driver numbers the GPU: Thor is 10.1 up to CUDA 12.9 and 11.0 from 13.0
    bool tegra = false;
    bool recorded = false; // what happens here was recorded on real hardware: compute capability 9.0 with driver branch 580
};

// A rule's own confidence, as far as this situation carries it: nothing is measured where nothing was recorded.
[[nodiscard]] Confidence confidence_in(const Situation& situation, Confidence of_rule);

[[nodiscard]] Confidence weaker(Confidence left, Confidence right);

// What a fix asks of the user, cheapest first.
enum class Cost { variable, other_file, driver, rebuild };

struct Fix {
    Cost cost;
    std::string text;
};

using Fixes = std::vector<Fix>;

struct Decision {
    OutcomeKind kind = OutcomeKind::unknown;
    std::optional<ImageChoice> image;
    int error = 0; // cudaError_t; 0 where it does not fail, or where the number is not known
    Confidence confidence = Confidence::measured;
    std::vector<int> rules;
    std::vector<std::string> reasons;
    std::vector<std::string> warnings;
    Fixes fixes; // in any order

    // Builders: each names the rule that speaks.
    Decision& because(int rule, std::string reason);
    Decision& because(int rule, const Situation& situation, Confidence of_rule, std::string reason);
    // What to know although it runs.
    Decision& warn(int rule, std::string warning);

  private:
    void note(int rule);
};

[[nodiscard]] Decision fails_with(int error, int rule, const Situation& situation, Confidence of_rule, std::string reason);
[[nodiscard]] Decision unknown_because(int rule, const Situation& situation, std::string reason);

[[nodiscard]] inline bool runs(const Decision& decision) { return decision.kind == OutcomeKind::sass || decision.kind == OutcomeKind::jit; }

} // namespace cag::compat
