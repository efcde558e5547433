// The truth of a package: on which GPUs all of it runs, on which a part, on which nothing; which driver it needs; and whether it is what it
// says it is.
#pragma once

#include "compat/spec.hpp"
#include "package/claims.hpp"
#include "package/content.hpp"
#include "package/text_claims.hpp"
#include "policy/requirement.hpp"

namespace cag {

enum class Extent : std::uint8_t { all, part, none };

struct GpuTruth {
    Gpu gpu;
    Extent runs = Extent::none;
    std::size_t kernels = 0;          // that run
    std::size_t of = 0;               // of so many; without the next
    std::size_t elsewhere = 0;        // that do not run here and stand in modules of nothing but `a` or `f`: made for other GPUs on purpose
    std::size_t compiled = 0;         // of them from PTX, at load
    bool certain = true;              // false where it is not known of some kernel whether it runs
    std::vector<std::string> lacking; // files (or members) with kernels that do not run
    std::optional<DriverFloor> floor; // the oldest driver with which everything runs that runs at all
};

struct CheckedClaim {
    enum class Result : std::uint8_t { holds, contradicted, unknown };
    PackageClaim claim;
    Result result = Result::unknown;
    std::string found; // what the content says to it
};

struct PackageTruth {
    std::string path;           // of the archive, or of the folder that is the package
    std::size_t files = 0;      // with device code
    std::size_t base_files = 0; // of them from the base of a container image
    std::size_t modules = 0;
    std::size_t kernels = 0;    // a kernel counts once in each module that has it
    bool partial = false;       // something could not be read
    std::vector<GpuTruth> gpus; // ascending; those that no module has anything for are left out at both ends
    std::vector<CheckedClaim> claims;
};

// One for each archive, and for each installed distribution or plain folder. Needs payloads, and ScanOptions::wants_text. `texts`: further
// ones whose lists are claims.
[[nodiscard]] std::vector<PackageTruth> truths_of(const Coverage& coverage, const std::vector<std::string>& inputs,
                                                  const std::vector<ClaimText>& texts = {});

// With the newest driver for that GPU.
[[nodiscard]] GpuTruth truth_on(const Gpu& gpu, const PackageContent& package);

// Compute capabilities that some chip has, from Maxwell on: older ones are in no package of today.
[[nodiscard]] std::vector<Gpu> known_gpus();

// The GPUs on which two packages differ.
struct PackageDifference {
    Gpu gpu;
    Extent first = Extent::none;
    Extent second = Extent::none;
};
[[nodiscard]] std::vector<PackageDifference> differences(const PackageTruth& first, const PackageTruth& second);

[[nodiscard]] std::vector<CheckedClaim> check_claims(const PackageContent& package, const std::vector<ClaimText>& texts = {});

// Of the texts, those in which no package's claim stands: not there, or nothing in them is understood.
[[nodiscard]] std::vector<std::string> texts_without_claims(const std::vector<CheckedClaim>& claims, const std::vector<ClaimText>& texts);

// `verify --claims`: a claim that is contradicted is an error, one that the content does not tell a note. A text without a claim leaves the
// gate undecided.
[[nodiscard]] std::vector<FileFinding> claim_findings(const Coverage& coverage, const std::vector<std::string>& inputs,
                                                      const std::vector<ClaimText>& texts = {});

// Wheels of one release, for other platforms or Pythons: each with the first of its release, as pairs of indices.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> variants(const std::vector<PackageTruth>& packages);

[[nodiscard]] const char* to_string(Extent extent);               // "all", "part", "none"
[[nodiscard]] const char* to_string(CheckedClaim::Result result); // "holds", "contradicted", "unknown"

} // namespace cag
