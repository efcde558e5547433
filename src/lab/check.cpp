#include "lab/check.hpp"

namespace cag {

namespace {

int badness(OutcomeKind kind) {
    return kind == OutcomeKind::fails ? 3 : kind == OutcomeKind::unknown ? 2 : kind == OutcomeKind::jit ? 1 : 0;
}

} // namespace

PlaceResult result_at(const LabPlace& place, const Prediction& prediction) {
    PlaceResult result;
    bool fails = false;
    bool unknown = false;
    for (const FilePrediction& file : prediction.files) {
        for (const ModulePrediction& module : file.modules) {
            for (const Outcome& outcome : module.outcomes) {
                ++result.kernels;
                if (badness(outcome.kind) > badness(result.worst)) {
                    result.worst = outcome.kind;
                    result.with_worst = 0;
                }
                result.with_worst += outcome.kind == result.worst ? 1U : 0U;
                fails = fails || outcome.kind == OutcomeKind::fails || (outcome.kind == OutcomeKind::jit && !place.need.jit);
                unknown = unknown || outcome.kind == OutcomeKind::unknown;
            }
        }
    }
    result.verdict = fails ? Verdict::fail : unknown || result.kernels == 0 ? Verdict::undecided : Verdict::pass;
    return result;
}

Verdict verdict_of(const std::vector<LabPlace>& places, std::span<const PlaceResult> results) {
    Verdict verdict = Verdict::pass;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool counts = places[i].must_run_now();
        if (counts && results[i].verdict == Verdict::fail) {
            return Verdict::fail;
        }
        if (results[i].kernels == 0 || (counts && results[i].verdict == Verdict::undecided)) {
            verdict = Verdict::undecided;
        }
    }
    return verdict;
}

} // namespace cag
