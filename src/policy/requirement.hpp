// What a binary must hold, and what was found to be missing.
#pragma once

#include "policy/waiver.hpp"

#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cag {

enum class Scope : std::uint8_t { every, any }; // --scope: every module must hold it, or one is enough

// One GPU, one architecture, one thing that is forbidden: each is judged by itself and has its own result.
struct Requirement {
    enum class Kind : std::uint8_t {
        sass,          // --require-sass 90a: an image of exactly that architecture
        ptx,           // --require-ptx 90: PTX of that target or lower that is usable above it
        runs_on,       // --runs-on "RTX 5090": every kernel runs there
        no_debug,      // the others can be written in a policy file only: no code for debuggers
        no_ltoir_only, // no module that only a link can still make loadable
        no_arch,       // no images of this architecture
        max_bytes,     // stored bytes of one architecture, or of all images, in a file
        present,       // the files that the section names are there
        claims,        // --claims: what packages say of themselves is so
    };
    Kind kind = Kind::sass;
    std::string text;                  // as asked for, for messages: "90a", "RTX 5090"
    Arch arch;                         // sass, ptx, no_arch, max_bytes
    std::optional<Gpu> gpu;            // runs_on
    std::optional<Driver> driver;      // runs_on; nullopt: the newest known that drives the GPU
    Environment environment;           // runs_on
    bool jit_allowed = true;           // runs_on
    Scope scope = Scope::every;        // sass, ptx, runs_on
    bool of_all_images = false;        // max_bytes: of the file's images together
    std::uint64_t bytes = 0;           // max_bytes
    std::vector<std::size_t> sections; // indices in Rules::sections whose files it concerns; empty: all files
    std::string files;                 // their patterns, for messages; "" for all
};

// Files that have requirements of their own. A file belongs to the first section of which a pattern matches its name.
struct PolicySection {
    std::vector<std::string> paths; // patterns, see policy/glob.hpp
};

enum class Level : std::uint8_t { error, warning, note };

struct Finding {
    std::string code; // "CAG101"
    Level level = Level::error;
    std::string path;
    std::optional<std::string> member;
    std::optional<std::size_t> module;      // index in the file
    std::vector<std::string> kernels;       // mangled
    std::optional<Arch> arch;               // the missing or offending architecture
    std::optional<std::size_t> requirement; // index in Judgement::requirements of the one that is not met
    std::string message;
    std::vector<std::string> fixes;    // cheapest first; lines to paste
    std::optional<std::size_t> waiver; // index in Rules::waivers of the one that excuses it; its level is then `note`
};

// A finding that another stage made, about the package that the file belongs to.
struct FileFinding {
    std::size_t file = 0; // index in the coverage
    Finding finding;
    bool certain = true; // false where what could not be read might change it
};

enum class Verdict : std::uint8_t { pass, fail, undecided };

// Of a part of several: modules that were made for other GPUs on purpose are excused where something serves, here or in another part.
struct PartResult {
    bool served = false;                    // something here holds the requirement, or may hold it
    Verdict if_unserved = Verdict::pass;    // the verdict where nothing in any part does
    std::vector<Finding> findings_unserved; // what takes the place of this part's findings then; empty where nothing was excused
};

struct RequirementResult {
    Requirement requirement;
    Verdict verdict = Verdict::undecided;
    std::optional<PartResult> part{}; // where Rules::part
};

struct Judgement {
    Verdict verdict = Verdict::undecided;
    std::vector<RequirementResult> requirements; // those that concern a file of the input
    std::vector<Finding> findings;               // errors first, then in input order
    std::vector<Waiver> waivers;                 // as in the rules
    std::string policy;                          // name of the policy file; "" without one
};

struct Rules {
    std::vector<Requirement> requirements;
    std::vector<PolicySection> sections;
    std::vector<Waiver> waivers;
    std::string policy;              // name of the file that they come from; "" without one
    std::string today;               // "2026-11-30": waivers that expired before it excuse nothing
    bool strict = false;             // specialised (`a`/`f` only) modules are errors
    bool part = false;               // the input is one of several parts: results say what merging them needs (PartResult)
    bool allow_empty = false;        // a file without device code holds everything
    std::vector<std::string> inputs; // the paths asked for: each must hold something to judge
    // Checks the packages' claims, for Requirement::Kind::claims.
    std::function<std::vector<FileFinding>(const Coverage&)> claims{};
};

[[nodiscard]] Judgement judge(const Coverage& coverage, const Rules& rules);

[[nodiscard]] const char* to_string(Verdict verdict); // "pass", "fail", "undecided"
[[nodiscard]] const char* to_string(Level level);     // "error", "warning", "note"

} // namespace cag
