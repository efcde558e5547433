// What a binary must hold, and what was found to be missing.
#pragma once

#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cag {

// One GPU or one architecture: each is judged by itself and has its own result.
struct Requirement {
    enum class Kind : std::uint8_t {
        sass,    // --require-sass 90a: an image of exactly that architecture
        ptx,     // --require-ptx 90: PTX of that target or lower that is usable above it
        runs_on, // --runs-on "RTX 5090": every kernel runs there
    };
    Kind kind = Kind::sass;
    std::string text;             // as asked for, for messages: "90a", "RTX 5090"
    Arch arch;                    // sass, ptx
    std::optional<Gpu> gpu;       // runs_on
    std::optional<Driver> driver; // runs_on; nullopt: the newest known that drives the GPU
    Environment environment;      // runs_on
    bool jit_allowed = true;      // runs_on
};

enum class Scope : std::uint8_t { every, any }; // --scope: every module must hold it, or one is enough

enum class Level : std::uint8_t { error, warning, note };

struct Finding {
    std::string code; // "CAG101"
    Level level = Level::error;
    std::string path;
    std::optional<std::string> member;
    std::optional<std::size_t> module;      // index in the file
    std::vector<std::string> kernels;       // mangled
    std::optional<Arch> arch;               // the missing or offending architecture
    std::optional<std::size_t> requirement; // index in Rules::requirements of the one that is not met
    std::string message;
    std::vector<std::string> fixes; // cheapest first; lines to paste
};

enum class Verdict : std::uint8_t { pass, fail, undecided };

struct RequirementResult {
    Requirement requirement;
    Verdict verdict = Verdict::undecided;
};

struct Judgement {
    Verdict verdict = Verdict::undecided;
    std::vector<RequirementResult> requirements;
    std::vector<Finding> findings; // errors first, then in input order
};

struct Rules {
    std::vector<Requirement> requirements;
    Scope scope = Scope::every;
    bool strict = false;             // specialised (`a`/`f` only) modules are errors
    bool allow_empty = false;        // a file without device code holds everything
    std::vector<std::string> inputs; // the paths asked for: each must hold something to judge
};

[[nodiscard]] Judgement judge(const Coverage& coverage, const Rules& rules);

[[nodiscard]] const char* to_string(Verdict verdict); // "pass", "fail", "undecided"
[[nodiscard]] const char* to_string(Level level);     // "error", "warning", "note"

} // namespace cag
