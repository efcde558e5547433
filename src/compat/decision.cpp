#include "compat/decision.hpp"

#include "data/tables.hpp"

#include <algorithm>

namespace cag::compat {
namespace {

// Only the number 1 sets a switch: "1" and "01", not "2", "-1", "true" or "".
bool is_one(const std::string& value) {
    const auto digit = value.find_first_not_of('0');
    return digit != std::string::npos && value.substr(digit) == "1";
}

struct Switch {
    bool on = false;
    std::string name;
};

// Rule 6: each switch has two names; where both are present, the one with PTX in it decides, whatever its value.
Switch read_switch(const Environment& environment, const std::string& ptx_name, const std::string& other_name) {
    auto entry = environment.find(ptx_name);
    if (entry == environment.end()) {
        entry = environment.find(other_name);
    }
    return entry == environment.end() ? Switch() : Switch{is_one(entry->second), entry->first};
}

JitSwitches read_switches(const Environment& environment) {
    const Switch force = read_switch(environment, "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT");
    const Switch disable = read_switch(environment, "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT");
    return {force.on, disable.on, force.name, disable.name};
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
    note(rule);
    reasons.push_back(std::move(reason));
    return *this;
}

Decision& Decision::warn(int rule, std::string warning) {
    note(rule);
    warnings.push_back(std::move(warning));
    return *this;
}

void Decision::note(int rule) {
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
        rules.push_back(rule);
    }
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
