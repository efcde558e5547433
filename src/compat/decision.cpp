#include "compat/decision.hpp"

#include "data/tables.hpp"

#include <algorithm>

namespace cag::compat {
namespace {

// The driver reads these as numbers: "0" and "" leave a switch off.
bool is_on(const Environment& environment, const char* name) {
    const auto entry = environment.find(name);
    return entry != environment.end() && entry->second.find_first_of("123456789") != std::string::npos;
}

// Rule 6: which of the switches are on.
JitSwitches read_switches(const Environment& environment) {
    JitSwitches switches;
    for (const char* name : {"CUDA_FORCE_JIT", "CUDA_FORCE_PTX_JIT"}) {
        if (is_on(environment, name)) {
            switches.ignore_sass = true;
            switches.ignore_sass_by = name;
        }
    }
    for (const char* name : {"CUDA_DISABLE_JIT", "CUDA_DISABLE_PTX_JIT"}) {
        if (is_on(environment, name)) {
            switches.no_jit = true;
            switches.no_jit_by = name;
        }
    }
    return switches;
}

// Rule 16: Thor was renumbered.
ComputeCapability as_numbered_by(const Driver& driver, ComputeCapability capability) {
    return capability == ComputeCapability{10, 1} && driver.cuda >= CudaVersion{13, 0} ? ComputeCapability{11, 0} : capability;
}

constexpr ComputeCapability recorded_gpu = {9, 0};
constexpr unsigned recorded_branch = 580;

} // namespace

Situation::Situation(const Gpu& the_gpu, const Driver& the_driver, const Environment& the_environment)
    : gpu(the_gpu), driver(the_driver), environment(the_environment), jit(read_switches(the_environment)),
      capability(as_numbered_by(the_driver, the_gpu.capability)), tegra(the_gpu.tegra || data::is_tegra(capability)),
      recorded(capability == recorded_gpu && driver.branch == recorded_branch && !driver.extrapolated && !driver.compat_over) {}

Confidence weaker(Confidence left, Confidence right) { return std::max(left, right); }

Confidence confidence_in(const Situation& situation, Confidence of_rule) {
    if (situation.driver.extrapolated) {
        return Confidence::reported;
    }
    return of_rule == Confidence::measured && !situation.recorded ? Confidence::documented : of_rule;
}

Decision& Decision::because(int rule, std::string reason) {
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
        rules.push_back(rule);
    }
    reasons.push_back(std::move(reason));
    return *this;
}

Decision& Decision::because(int rule, const Situation& situation, Confidence of_rule, std::string reason) {
    confidence = weaker(confidence, confidence_in(situation, of_rule));
    return because(rule, std::move(reason));
}

Decision fails_with(int error, int rule, const Situation& situation, Confidence of_rule, std::string reason) {
    Decision decision;
    decision.kind = OutcomeKind::fails;
    decision.error = error;
    decision.because(rule, situation, of_rule, std::move(reason));
    return decision;
}

Decision unknown_because(int rule, const Situation& situation, std::string reason) {
    Decision decision;
    decision.because(rule, situation, Confidence::documented, std::move(reason));
    return decision;
}

} // namespace cag::compat
