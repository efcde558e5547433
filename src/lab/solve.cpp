#include "lab/solve.hpp"

#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cag {
namespace {

Image image_of(const Target& target, const data::Toolkit& toolkit) {
    Image image;
    image.arch = target.arch;
    image.kind = target.code == Code::sass ? ImageKind::sass : ImageKind::ptx;
    image.toolkit = to_string(toolkit.release);
    image.compression = toolkit.release >= CudaVersion{13, 0} ? Compression::zstd : Compression::none; // nvcc's default
    if (target.code == Code::ptx) {
        image.ptx_isa = toolkit.ptx_isa;
    }
    image.payload_read = true;
    image.kernels.push_back({"kernel", 0, {}, KernelBody::code});
    return image;
}

// Chooses for the first place that nothing chosen serves, and goes on with the next. The first choice of the fewest stays.
void choose(const std::vector<std::vector<Arch>>& natives, std::size_t next, std::vector<Arch>& chosen,
            std::optional<std::vector<Arch>>& best) {
    const auto is_served = [&](const std::vector<Arch>& candidates) {
        return std::any_of(candidates.begin(), candidates.end(),
                           [&](Arch arch) { return std::find(chosen.begin(), chosen.end(), arch) != chosen.end(); });
    };
    while (next < natives.size() && (natives[next].empty() || is_served(natives[next]))) {
        ++next;
    }
    if (next == natives.size()) {
        if (!best || chosen.size() < best->size()) {
            best = chosen;
        }
        return;
    }
    if (best && chosen.size() + 1 >= best->size()) {
        return;
    }
    for (const Arch arch : natives[next]) {
        chosen.push_back(arch);
        choose(natives, next + 1, chosen, best);
        chosen.pop_back();
    }
}

std::vector<Arch> fewest_sass(const std::vector<LabPlace>& places, const data::Toolkit& toolkit) {
    std::set<std::vector<Arch>> distinct; // machines alike are one question
    for (const LabPlace& place : places) {
        distinct.insert(natives_of(place, toolkit.release));
    }
    std::vector<std::vector<Arch>> natives(distinct.begin(), distinct.end());
    // From the lowest GPU upward: the highest target that serves it serves the later minors of its major too.
    std::sort(natives.begin(), natives.end(), [](const auto& left, const auto& right) {
        return left.empty() ? !right.empty() : !right.empty() && left.front() < right.front();
    });
    std::vector<Arch> chosen;
    std::optional<std::vector<Arch>> best;
    choose(natives, 0, chosen, best);
    std::vector<Arch> archs = best.value_or(std::vector<Arch>());
    std::sort(archs.begin(), archs.end());
    return archs;
}

std::vector<const LabPlace*> not_served(const std::vector<LabPlace>& places, const std::vector<Target>& targets, CudaVersion toolkit) {
    std::vector<const LabPlace*> failing;
    for (const LabPlace& place : places) {
        if (!serves(outcome_at(place, targets, toolkit), place)) {
            failing.push_back(&place);
        }
    }
    return failing;
}

struct Choice {
    std::vector<Target> targets;
    bool ptx_is_reserve = false;
    std::vector<const LabPlace*> unserved;

    // Places that must run first.
    [[nodiscard]] std::pair<std::size_t, std::size_t> badness() const {
        const auto must =
            std::count_if(unserved.begin(), unserved.end(), [](const LabPlace* place) { return place->need.need == Need::must; });
        return {static_cast<std::size_t>(must), unserved.size()};
    }
};

Choice choice_for(const std::vector<LabPlace>& places, const data::Toolkit& toolkit) {
    Choice choice;
    const std::vector<Arch> sass = fewest_sass(places, toolkit);
    for (const Arch arch : sass) {
        choice.targets.push_back({arch, Code::sass});
    }
    choice.unserved = not_served(places, choice.targets, toolkit.release);
    if (choice.unserved.empty()) {
        if (!sass.empty()) {
            choice.targets.push_back({sass.back(), Code::ptx});
            choice.ptx_is_reserve = true;
        }
        return choice;
    }
    // The one PTX image that serves most of the others; of several the highest.
    const Choice without = choice;
    for (const Arch arch : toolkit.virtual_archs) {
        if (arch.variant != Variant::plain) {
            continue;
        }
        Choice with = without;
        with.targets.push_back({arch, Code::ptx});
        with.unserved = not_served(places, with.targets, toolkit.release);
        if (with.badness() < without.badness() && with.badness() <= choice.badness()) {
            choice = with;
        }
    }
    if (choice.targets.size() == sass.size() && !sass.empty()) { // PTX helps none of them
        choice.targets.push_back({sass.back(), Code::ptx});
        choice.ptx_is_reserve = true;
    }
    return choice;
}

SolvedTarget explain(const Target& target, const std::vector<LabPlace>& places, const std::vector<Target>& targets, CudaVersion toolkit) {
    SolvedTarget solved;
    solved.target = target;
    std::vector<Target> without = targets;
    without.erase(std::find(without.begin(), without.end(), target));
    for (const LabPlace& place : places) {
        const Outcome with = outcome_at(place, targets, toolkit);
        const Outcome after = outcome_at(place, without, toolkit);
        if (target.code == Code::sass && with.kind == OutcomeKind::sass && with.image->arch == target.arch) {
            solved.native.push_back(&place);
        }
        if (serves(with, place) && !serves(after, place)) {
            solved.lost.push_back(&place);
        } else if (with.kind == OutcomeKind::sass && after.kind == OutcomeKind::jit) {
            solved.slower.push_back(&place);
        }
    }
    return solved;
}

} // namespace

std::vector<Target> Solution::list() const {
    std::vector<Target> list;
    for (const SolvedTarget& solved : targets) {
        list.push_back(solved.target);
    }
    return list;
}

Outcome outcome_at(const LabPlace& place, const std::vector<Target>& targets, CudaVersion toolkit) {
    const data::Toolkit* known = data::find_toolkit(toolkit);
    FileCoverage file;
    file.path = "program";
    file.format = "elf";
    file.role = FileRole::loadable;
    file.cuda_runtime = "static " + to_string(toolkit);
    Module module;
    for (const Target& target : targets) {
        module.images.push_back(image_of(target, *known));
    }
    file.modules.push_back(std::move(module));
    const Prediction prediction = predict(Coverage{{file}}, place.gpu, place.driver, place.machine->environment);
    return prediction.files.front().modules.empty() ? Outcome() : prediction.files.front().modules.front().outcomes.front();
}

std::vector<Arch> natives_of(const LabPlace& place, CudaVersion toolkit) {
    std::vector<Arch> natives;
    for (const Arch arch : data::find_toolkit(toolkit)->real) {
        if (arch.variant == Variant::plain && outcome_at(place, {{arch, Code::sass}}, toolkit).kind == OutcomeKind::sass) {
            natives.push_back(arch);
        }
    }
    std::sort(natives.rbegin(), natives.rend());
    return natives;
}

bool serves(const Outcome& outcome, const LabPlace& place) {
    return outcome.kind == OutcomeKind::sass || (outcome.kind == OutcomeKind::jit && place.need.jit);
}

namespace {

// With the best of all toolkits, or with this one.
Solution solve_with(const std::vector<LabPlace>& places, std::optional<CudaVersion> toolkit) {
    Solution solution;
    std::optional<Choice> best;
    const auto toolkits = data::toolkits();
    for (auto row = toolkits.rbegin(); row != toolkits.rend(); ++row) {
        if (toolkit && row->release != *toolkit) {
            continue;
        }
        const Choice choice = choice_for(places, *row);
        if (!best || choice.badness() < best->badness()) {
            best = choice;
            solution.toolkit = row->release;
        }
        if (best->unserved.empty()) {
            break;
        }
    }
    if (!best) {
        return solution;
    }
    for (const Target& target : best->targets) {
        solution.targets.push_back(explain(target, places, best->targets, solution.toolkit));
        solution.targets.back().reserve = best->ptx_is_reserve && target.code == Code::ptx;
    }
    for (const LabPlace* place : best->unserved) {
        const Outcome outcome = outcome_at(*place, best->targets, solution.toolkit);
        solution.unserved.emplace_back(place, outcome.reasons.empty() ? "compiling PTX is not good enough there" : outcome.reasons.front());
    }
    return solution;
}

// The newest that each machine has, where it says, and of these the oldest.
std::optional<CudaVersion> common_toolkit(const std::vector<LabPlace>& places) {
    std::optional<CudaVersion> oldest;
    for (const LabPlace& place : places) {
        const auto& toolkits = place.machine->toolkits;
        if (!toolkits.empty()) {
            const CudaVersion newest = *std::max_element(toolkits.begin(), toolkits.end());
            oldest = oldest ? std::min(*oldest, newest) : newest;
        }
    }
    return oldest;
}

} // namespace

Solution solve(const std::vector<LabPlace>& places, std::optional<CudaVersion> toolkit) {
    if (const auto own = toolkit ? std::nullopt : common_toolkit(places)) {
        if (Solution solution = solve_with(places, own); solution.unserved.empty()) {
            return solution;
        }
    }
    return solve_with(places, toolkit);
}

} // namespace cag
