// The smallest list of images with which every machine of a lab is served.
#pragma once

#include "arch/spec.hpp"
#include "lab/lab.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cag {

// What one image is there for.
struct SolvedTarget {
    Target target;
    std::vector<const LabPlace*> native; // run its SASS
    std::vector<const LabPlace*> lost;   // run nothing without it
    std::vector<const LabPlace*> slower; // compile PTX without it
    bool reserve = false;                // no machine here needs it: PTX for GPUs still to come
};

struct Solution {
    CudaVersion toolkit;                                           // that builds them
    std::vector<SolvedTarget> targets;                             // SASS ascending, then PTX of the highest
    std::vector<std::pair<const LabPlace*, std::string>> unserved; // and why
    [[nodiscard]] std::vector<Target> list() const;
};

// SASS for every place, shared between minors of a major where the rules allow it, as few as can be, and the highest of those that are as
// few; then one PTX image: for the places that no SASS of the toolkit serves, or, where there are none, of the highest as a reserve. With
// `toolkit` the images are those that this one builds; else those of a toolkit that the machines have (the newest of each, and of these the
// oldest), where that serves every place; else of the newest of all that leaves out fewest places that must run, and fewest at all.
[[nodiscard]] Solution solve(const std::vector<LabPlace>& places, std::optional<CudaVersion> toolkit = {});

// What the rules say of a program with these images, compiled by this toolkit, at a place.
// Its kernels run there, as they must: compiling PTX is not good enough everywhere.
[[nodiscard]] bool serves(const Outcome& outcome, const LabPlace& place);

// The plain SASS targets of a toolkit that a place runs, the highest first.
[[nodiscard]] std::vector<Arch> natives_of(const LabPlace& place, CudaVersion toolkit);

[[nodiscard]] Outcome outcome_at(const LabPlace& place, const std::vector<Target>& targets, CudaVersion toolkit);

} // namespace cag
