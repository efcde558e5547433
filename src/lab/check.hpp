// How binaries do on the machines of a lab.
#pragma once

#include "lab/lab.hpp"
#include "policy/requirement.hpp"

#include <cudaarchguard/prediction.hpp>

#include <cstddef>
#include <span>

namespace cag {

// All kernels at one place.
struct PlaceResult {
    std::size_t kernels = 0; // that the driver would load
    OutcomeKind worst = OutcomeKind::sass;
    std::size_t with_worst = 0;
    Verdict verdict = Verdict::undecided; // by what the place allows (jit); undecided where there is no kernel
};

[[nodiscard]] PlaceResult result_at(const LabPlace& place, const Prediction& prediction);

// Of all places: those count where programs must run now. Undecided where there is nothing to judge.
[[nodiscard]] Verdict verdict_of(const std::vector<LabPlace>& places, std::span<const PlaceResult> results);

} // namespace cag
