// Lists of architectures in texts for people: a README, a wheel's description, release notes (--claims-from).
//
//   "Wheels for sm_80, sm_86 and sm_90", "Compute capability 7.5 or newer", TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX",
//   CMAKE_CUDA_ARCHITECTURES=80;90, -gencode=arch=compute_80,code=sm_80
//
// A number is read only where the words around it say that it is an architecture: "CUDA 12.8" and "Python 3.10" never are. What has a
// reservation in its sentence ("not", "if", "except") is a claim that is not judged.
#pragma once

#include "package/claims.hpp"

namespace cag {

// A text that was asked for.
struct ClaimText {
    std::string name;                  // of a file on disk, or of files in the packages: "README.md", "METADATA"
    std::string section;               // only what stands below this heading: "supported-gpus"; "": everything
    std::optional<std::string> text{}; // of the file on disk; it is about every package

    // "README.md#supported-gpus", as it was asked for
    [[nodiscard]] std::string asked() const { return section.empty() ? name : name + '#' + section; }
    [[nodiscard]] bool is_in(const std::string& member) const; // "x-1.0/README.md" has the name
};

// "README.md#supported-gpus" taken apart.
[[nodiscard]] ClaimText parse_claim_text(const std::string& asked);

[[nodiscard]] std::vector<PackageClaim> claims_in_text(const std::string& source, const std::string& text, const ClaimText& asked);

namespace detail {

// A sentence, a row of a table or a line of code.
struct Statement {
    std::string text;
    std::size_t line = 0; // at which it begins
};
[[nodiscard]] std::vector<Statement> statements_in(const std::string& text, const std::string& section);

// The lists in the spelling of a build. What was read is blanked out in the statement.
[[nodiscard]] std::vector<PackageClaim> take_build_lists(Statement& statement);

// The architectures and compute capabilities that are named in words.
[[nodiscard]] std::vector<PackageClaim> claims_in_words(const Statement& statement);

// A capability that a GPU of the tables has.
[[nodiscard]] bool is_known(ComputeCapability capability);

// The word by which the statement may mean the opposite, or only a case; "" where there is none.
[[nodiscard]] std::string reservation_in(const std::string& statement);

} // namespace detail

} // namespace cag
