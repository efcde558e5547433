// Equal fates told once: the kernels that fail for one cause, on whatever GPUs, with whatever drivers and in whatever modules.
#pragma once

#include "report/report.hpp"

#include <set>
#include <utility>

namespace cag {

using Runs = std::vector<const PredictionRun*>;

// Kernels with one error, decided by the same rules.
struct Cause {
    const Outcome* example = nullptr;
    Runs runs;                                             // the first is the example's
    std::set<std::pair<std::size_t, std::size_t>> modules; // file, module
    std::vector<std::string> kernels;                      // mangled, ordered; "" for a module whose kernels are not known
    std::vector<std::pair<std::vector<std::string>, Runs>> fixes;
    Confidence confidence = Confidence::measured; // the weakest
    bool same_reasons = true;                     // in all modules; else they differ in the images that each module has
};

// Of this kind (fails or unknown), in the order in which they are met.
[[nodiscard]] std::vector<Cause> causes_of(const std::vector<PredictionRun>& runs, OutcomeKind kind);

// A cause in words.
struct ToldCause {
    std::string what;       // "error 209, cudaErrorNoKernelImageForDevice"
    std::string where;      // "9.0, 12.0 with driver 620"
    std::string extent;     // "1 of 3 kernels, in module 1 of libgap.so: reduce(float const*, float*)"
    std::string reasons_of; // "9.0 with 620", where the reasons are those of one of several; else ""
    std::vector<std::string> reasons;
    std::vector<std::pair<std::string, std::vector<std::string>>> fixes; // whose ("" for all), cheapest first
};

[[nodiscard]] ToldCause tell(const Coverage& coverage, const std::vector<PredictionRun>& runs, const Cause& cause);

// The same as lines.
[[nodiscard]] std::string cause_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const Cause& cause,
                                     const Style& style);

// One warning of kernels that run.
struct Warning {
    std::string text;
    Runs runs;
    std::set<std::pair<std::size_t, std::size_t>> modules;
    std::vector<std::string> kernels;
};

[[nodiscard]] std::vector<Warning> warnings_of(const std::vector<PredictionRun>& runs);

// "RTX 5090 (12.0)", "9.0"
[[nodiscard]] std::string gpu_text(const Gpu& gpu);

// "8.9 (driver 470); 10.3, 12.1 (driver 470, 535)": GPUs with the same drivers together.
[[nodiscard]] std::string pairs_text(const Runs& runs);

// "27 of 30 kernels, in modules 0-4 of libfoo.so" and, where it is known and one, "all from foo.cu".
[[nodiscard]] std::string extent_text(const Coverage& coverage, const std::vector<PredictionRun>& runs,
                                      const std::vector<std::string>& kernels,
                                      const std::set<std::pair<std::size_t, std::size_t>>& modules);

// What could not be read, with an empty line behind it; "" where all could.
[[nodiscard]] std::string problems_text(const Coverage& coverage, const Style& style);

} // namespace cag
