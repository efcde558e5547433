#include "compat/judge.hpp"

#include "compat/kernels.hpp"
#include "compat/program.hpp"
#include "compat/raw.hpp"
#include "compat/start.hpp"
#include "compat/take.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::compat {
namespace {

// What every host link by nvcc leaves behind: nobody's coverage and nobody's defect.
bool holds_nothing(const Module& module) {
    return std::all_of(module.images.begin(), module.images.end(), [](const Image& image) { return image.payload_read && image.empty; });
}

bool is_in_pool(const FileCoverage& file, const Module& module) {
    return module.kind == ModuleKind::embedded || (module.kind == ModuleKind::raw && file.role != FileRole::raw);
}

// What the tables do not know is said once, at the end of the reasons.
void note_unknown_future(Decision& decision, const Situation& situation) {
    if (situation.driver.extrapolated) {
        decision.because(18, situation, Confidence::reported,
                         fmt::format("driver {} is newer than the tables: this is an extrapolation", situation.driver.name));
    }
    if (!data::is_known_capability(situation.capability)) {
        decision.because(
            18, situation, Confidence::reported,
            fmt::format("no GPU of compute capability {} is known: this is an extrapolation", to_string(situation.capability)));
    }
}

// Rule 9 and the images that are still to be linked although nothing says with what.
void note_unlinked_image(Decision& decision, const FileCoverage& file) {
    if (decision.image && decision.kind == OutcomeKind::sass) {
        const Module& module = file.modules[decision.image->module];
        if (module.kind != ModuleKind::relocatable && module.images[decision.image->image].relocatable) {
            decision.confidence = Confidence::reported;
            decision.because(9, "the image taken is relocatable code outside a device link, which the driver has to link by itself");
        }
    }
}

Decision decide_container(const FileCoverage& file, const Module& module, const Situation& situation) {
    if (auto stopped = stopped_at_start(file, module, situation)) {
        return *stopped;
    }
    Decision decision = is_bare_image(file, module) ? load_bare_image(file, module, situation) : take_image(module, situation);
    note_unlinked_image(decision, file);
    return decision;
}

class FileJudge {
  public:
    FileJudge(const FileCoverage& file, const Situation& situation, const Visitor& visit)
        : file_(file), situation_(situation), visit_(visit) {}

    void judge(std::optional<std::size_t> only) {
        std::vector<const Module*> pool;
        for (const Module& module : file_.modules) {
            if (only && *only != module.index) {
                continue;
            }
            if (is_in_pool(file_, module)) {
                if (!holds_nothing(module)) {
                    pool.push_back(&module);
                }
            } else if (!judge_module(module)) {
                return;
            }
        }
        judge_pool(pool);
    }

  private:
    bool tell(std::size_t module, std::string_view kernel, Decision decision) {
        note_unknown_future(decision, situation_);
        return visit_(module, kernel, decision);
    }

    bool judge_module(const Module& module) {
        switch (module.kind) {
        case ModuleKind::registered:
        case ModuleKind::raw:
            return holds_nothing(module) || judge_single(module);
        case ModuleKind::linked:
            return judge_linked(module);
        case ModuleKind::relocatable: // rule 13: still to be linked, or counted with the module that it was linked into
        case ModuleKind::unregistered:
        case ModuleKind::embedded:
            break;
        }
        return true;
    }

    bool judge_single(const Module& module) {
        const Decision decision = decide_container(file_, module, situation_);
        const auto kernels = kernels_in({&module});
        if (kernels.empty()) {
            return tell(module.index, "", decision_for({}, decision, file_, situation_));
        }
        for (std::span<const KernelPlace> rest = kernels; !rest.empty();) {
            const auto places = next_kernel(rest);
            if (!tell(module.index, places.front().name, decision_for(places, decision, file_, situation_))) {
                return false;
            }
        }
        return true;
    }

    bool judge_linked(const Module& linked) {
        const Program program = program_of(file_, linked);
        if (program.inputs.empty() && holds_nothing(linked)) {
            return true;
        }
        std::vector<const Module*> modules = program.inputs;
        modules.push_back(&linked);
        const auto stopped = stopped_at_start(file_, linked, situation_);
        const ProgramDecision decision = stopped ? ProgramDecision{*stopped, {}} : judge_program(program, situation_);
        const auto kernels = kernels_in(modules);
        if (kernels.empty()) {
            return tell(linked.index, "", decision.common);
        }
        for (std::span<const KernelPlace> rest = kernels; !rest.empty();) {
            const auto places = next_kernel(rest);
            const auto own = decision.own_kernels.find(places.front().name);
            const Decision& base = own == decision.own_kernels.end() ? decision.common : own->second;
            if (!tell(linked.index, places.front().name, decision_for(places, base, file_, situation_))) {
                return false;
            }
        }
        return true;
    }

    // Of several containers that hold a kernel, the file's own loader takes one that works.
    static bool is_better(const Decision& left, const Decision& right) {
        const auto rank = [](const Decision& decision) {
            return decision.kind == OutcomeKind::sass      ? 3
                   : decision.kind == OutcomeKind::jit     ? 2
                   : decision.kind == OutcomeKind::unknown ? 1
                                                           : 0;
        };
        return rank(left) > rank(right);
    }

    struct Served {
        std::size_t module;
        std::string_view kernel;
        Decision decision;
    };

    void judge_pool(const std::vector<const Module*>& pool) {
        std::map<std::size_t, Decision> decisions;
        std::vector<Served> served;
        for (const Module* module : pool) {
            decisions[module->index] = decide_container(file_, *module, situation_);
        }
        const auto kernels = kernels_in(pool);
        for (std::span<const KernelPlace> rest = kernels; !rest.empty();) {
            const auto places = next_kernel(rest);
            served.push_back(best_of(places, decisions));
        }
        if (kernels.empty() && !pool.empty()) {
            const auto best = std::max_element(decisions.begin(), decisions.end(),
                                               [](const auto& left, const auto& right) { return is_better(right.second, left.second); });
            served.push_back({best->first, "", best->second});
        }
        std::stable_sort(served.begin(), served.end(), [](const Served& left, const Served& right) { return left.module < right.module; });
        for (const Served& kernel : served) {
            if (!tell(kernel.module, kernel.kernel, kernel.decision)) {
                return;
            }
        }
    }

    Served best_of(std::span<const KernelPlace> places, const std::map<std::size_t, Decision>& decisions) {
        std::optional<Served> best;
        for (auto begin = places.begin(); begin != places.end();) {
            const auto end = std::find_if(begin, places.end(), [&](const KernelPlace& place) { return place.module != begin->module; });
            const std::span<const KernelPlace> in_module(begin, end);
            Decision decision = decision_for(in_module, decisions.at(begin->module), file_, situation_);
            if (!best || is_better(decision, best->decision)) {
                best = Served{begin->module, begin->name, std::move(decision)};
            }
            begin = end;
        }
        return *best;
    }

    const FileCoverage& file_;
    const Situation& situation_;
    const Visitor& visit_;
};

} // namespace

void judge_file(const FileCoverage& file, const Situation& situation, const Visitor& visit, std::optional<std::size_t> only) {
    FileJudge(file, situation, visit).judge(only);
}

} // namespace cag::compat
