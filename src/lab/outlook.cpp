#include "lab/outlook.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

const data::DriverBranch* branch_after(unsigned branch) {
    const auto branches = data::driver_branches();
    const auto next =
        std::find_if(branches.begin(), branches.end(), [&](const data::DriverBranch& known) { return known.branch > branch; });
    return next == branches.end() ? nullptr : &*next;
}

void add_driver_loss(const LabPlace& place, const Solution& solution, std::vector<Loss>& losses) {
    const data::DriverBranch* next = branch_after(place.driver.branch);
    if (next == nullptr) {
        return;
    }
    LabPlace then = place;
    then.driver = *parse_driver(std::to_string(next->branch));
    const std::string what = fmt::format("driver R{}", next->branch);
    if (!drives(then.driver, place.gpu)) {
        losses.push_back(
            {what, &place, fmt::format("R{} is the last driver for {}", place.driver.branch, to_string(place.gpu.capability))});
    } else if (const Outcome outcome = outcome_at(then, solution.list(), solution.toolkit);
               serves(outcome_at(place, solution.list(), solution.toolkit), place) && !serves(outcome, place)) {
        losses.push_back({what, &place, outcome.reasons.empty() ? "" : outcome.reasons.front()});
    }
}

} // namespace

std::vector<Loss> losses_next(const std::vector<LabPlace>& places, const Solution& solution) {
    std::vector<Loss> losses;
    for (const LabPlace& place : places) {
        add_driver_loss(place, solution, losses);
    }
    const auto toolkits = data::toolkits();
    const auto next =
        std::find_if(toolkits.begin(), toolkits.end(), [&](const data::Toolkit& toolkit) { return toolkit.release > solution.toolkit; });
    if (next == toolkits.end()) {
        return losses;
    }
    const Solution then = solve(places, next->release);
    for (const auto& [place, why] : then.unserved) {
        const bool already = std::any_of(solution.unserved.begin(), solution.unserved.end(),
                                         [place = place](const auto& unserved) { return unserved.first == place; });
        if (already) {
            continue;
        }
        const auto range = data::toolkits_building({place->gpu.capability.major, place->gpu.capability.minor, Variant::plain});
        losses.push_back({"CUDA " + to_string(next->release), place,
                          range && range->last < next->release ? fmt::format("CUDA {} is the last toolkit that compiles for {}",
                                                                             to_string(range->last), to_string(place->gpu.capability))
                                                               : why});
    }
    return losses;
}

} // namespace cag
