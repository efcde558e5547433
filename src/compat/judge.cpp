#include "compat/judge.hpp"

#include "compat/program.hpp"
#include "compat/raw.hpp"
#include "compat/start.hpp"
#include "compat/take.hpp"
#include "coverage/device_link.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::compat {
namespace {

constexpr std::size_t pool_key = static_cast<std::size_t>(-1);

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

// Rule 9: an image that is still to be linked, although nothing says with what.
void note_unlinked_image(Decision& decision, const FileCoverage& file, const Situation& situation) {
    if (decision.image && decision.kind == OutcomeKind::sass) {
        const Module& module = file.modules[decision.image->module];
        if (module.kind != ModuleKind::relocatable && module.images[decision.image->image].relocatable) {
            const bool loaded_by_file = module.kind == ModuleKind::raw;
            decision.because(9, situation, loaded_by_file ? Confidence::measured : Confidence::reported,
                             "the image taken is relocatable code outside a device link, which the driver has to link by itself");
        }
    }
}

// Of several containers that hold a kernel, the file's own loader takes one that works.
bool is_better(const Decision& left, const Decision& right) {
    const auto rank = [](const Decision& decision) {
        return decision.kind == OutcomeKind::sass      ? 3
               : decision.kind == OutcomeKind::jit     ? 2
               : decision.kind == OutcomeKind::unknown ? 1
                                                       : 0;
    };
    return rank(left) > rank(right);
}

} // namespace

// One question asked of the file.
class FileJudge::Walk {
  public:
    Walk(FileJudge& judge, const Situation& situation, const Visitor& visit)
        : judge_(judge), file_(judge.file_), situation_(situation), visit_(visit), stopped_(stopped_at_start(file_, situation)),
          stopped_without_runtime_(stopped_without_runtime(situation)) {}

    bool modules(std::optional<std::size_t> only) {
        std::vector<const Module*> pool;
        for (const Module& module : file_.modules) {
            if (only && *only != module.index) {
                continue;
            }
            if (!is_in_pool(file_, module)) {
                if (!judge_module(module)) {
                    return false;
                }
            } else if (!holds_nothing(module)) {
                pool.push_back(&module);
            }
        }
        return pool.empty() || judge_pool(pool);
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
            return (holds_nothing(module) && !is_refused_as_a_whole(file_, module)) || judge_single(module);
        case ModuleKind::linked:
            return judge_linked(module);
        case ModuleKind::relocatable: // rule 13: still to be linked, or counted with the module that it was linked into
        case ModuleKind::unregistered:
        case ModuleKind::embedded:
            break;
        }
        return true;
    }

    Decision decide(const Module& module) const {
        const auto& stopped = module.kind == ModuleKind::raw ? stopped_without_runtime_ : stopped_;
        if (stopped) {
            return *stopped;
        }
        if (is_refused_as_a_whole(file_, module)) {
            return refuse_as_a_whole(file_, module, situation_);
        }
        Decision decision = is_bare_image(file_, module) ? load_bare_image(module, situation_) : take_image(module, situation_);
        note_unlinked_image(decision, file_, situation_);
        return decision;
    }

    bool judge_single(const Module& module) {
        return tell_all(module.index, judge_.kernels_of(module.index, {&module}), [&](std::span<const KernelPlace> places) {
            const Module& server = places.empty() ? module : module_that_serves(module, places.front().name);
            return &server == &module ? decision_for(places, decision_of(module.index), file_, situation_)
                                      : served_by(server, places.front().name);
        });
    }

    // Rule 7: of the modules whose instances of a kernel share one host function, the first registered serves every launch. They are
    // registered in the order in which they lie in the file.
    const Module& module_that_serves(const Module& module, std::string_view kernel) {
        if (std::ranges::find(file_.shared_host_functions, kernel) == file_.shared_host_functions.end()) {
            return module;
        }
        return *std::ranges::find_if(
            file_.modules, [&](const Module& other) { return other.kind == ModuleKind::registered && !places_in(other, kernel).empty(); });
    }

    std::span<const KernelPlace> places_in(const Module& module, std::string_view kernel) {
        const std::vector<KernelPlace>& places = judge_.kernels_of(module.index, {&module});
        const auto first = std::ranges::lower_bound(places, kernel, {}, &KernelPlace::name);
        const auto last = std::ranges::upper_bound(places, kernel, {}, &KernelPlace::name);
        return {first, last};
    }

    Decision served_by(const Module& server, std::string_view kernel) {
        Decision decision = decision_for(places_in(server, kernel), decision_of(server.index), file_, situation_);
        return decision.because(
            7, situation_, Confidence::measured,
            fmt::format("its host function is shared with module {}, which is registered first and so serves it", server.index));
    }

    bool judge_linked(const Module& linked) {
        const Program program = program_of(file_, linked);
        if (program.inputs.empty() && holds_nothing(linked)) {
            return true;
        }
        const ProgramDecision decision = stopped_ ? ProgramDecision{*stopped_, {}} : judge_program(program, situation_);
        if (const auto nameless = decision.own_kernels.find(""); nameless != decision.own_kernels.end()) {
            if (!tell(linked.index, "", nameless->second)) {
                return false;
            }
        }
        return tell_all(linked.index, judge_.kernels_of(program), [&](std::span<const KernelPlace> places) {
            const auto own = decision.own_kernels.find(places.empty() ? "" : places.front().name);
            const Decision& of_program = own == decision.own_kernels.end() ? decision.common : own->second;
            return decision_for(places, of_program, file_, situation_);
        });
    }

    // Every kernel of a module; where none is known, one decision for the name "".
    template <class DecisionOf>
    bool tell_all(std::size_t module, const std::vector<KernelPlace>& kernels, DecisionOf decision_of) {
        if (kernels.empty()) {
            return tell(module, "", decision_of({}));
        }
        for (std::span<const KernelPlace> rest = kernels; !rest.empty();) {
            const auto places = next_kernel(rest);
            if (!tell(module, places.front().name, decision_of(places))) {
                return false;
            }
        }
        return true;
    }

    bool judge_pool(const std::vector<const Module*>& pool) {
        const auto& kernels = judge_.kernels_of(pool_key, pool);
        if (kernels.empty()) {
            return tell_best_of(pool);
        }
        for (std::span<const KernelPlace> rest = kernels; !rest.empty();) {
            if (!tell_best_place(next_kernel(rest))) {
                return false;
            }
        }
        return true;
    }

    // Decisions for modules are made when a kernel asks for them.
    const Decision& decision_of(std::size_t module) {
        auto& decision = decisions_[module];
        if (!decision) {
            decision = decide(file_.modules[module]);
        }
        return *decision;
    }

    bool tell_best_of(const std::vector<const Module*>& pool) {
        const Module* best = pool.front();
        for (const Module* module : pool) {
            if (is_better(decision_of(module->index), decision_of(best->index))) {
                best = module;
            }
        }
        return tell(best->index, "", decision_of(best->index));
    }

    // `places` of one kernel lie together by module.
    bool tell_best_place(std::span<const KernelPlace> places) {
        std::size_t best_module = places.front().module;
        std::optional<Decision> best;
        for (auto begin = places.begin(); begin != places.end();) {
            const auto end = std::find_if(begin, places.end(), [&](const KernelPlace& place) { return place.module != begin->module; });
            Decision decision = decision_for(std::span<const KernelPlace>(begin, end), decision_of(begin->module), file_, situation_);
            if (!best || is_better(decision, *best)) {
                best = std::move(decision);
                best_module = begin->module;
            }
            begin = end;
        }
        return tell(best_module, places.front().name, *best);
    }

    FileJudge& judge_;
    const FileCoverage& file_;
    const Situation& situation_;
    const Visitor& visit_;
    std::optional<Decision> stopped_;
    std::optional<Decision> stopped_without_runtime_;
    std::map<std::size_t, std::optional<Decision>> decisions_;
};

bool FileJudge::judge(const Situation& situation, const Visitor& visit, std::optional<std::size_t> only) {
    return Walk(*this, situation, visit).modules(only);
}

const std::vector<KernelPlace>& FileJudge::kernels_of(std::size_t key, const std::vector<const Module*>& modules) {
    const auto known = kernels_.find(key);
    return known != kernels_.end() ? known->second : kernels_.emplace(key, kernels_in(modules)).first->second;
}

const std::vector<KernelPlace>& FileJudge::kernels_of(const Program& program) {
    const auto known = kernels_.find(program.linked->index);
    if (known != kernels_.end()) {
        return known->second;
    }
    std::vector<const Module*> modules = program.inputs;
    modules.push_back(program.linked);
    std::vector<KernelPlace> kernels = kernels_in(modules);
    const auto dropped = kernels_dropped_by_link(file_, *program.linked, program.inputs);
    std::erase_if(kernels, [&](const KernelPlace& place) { return dropped.contains(place.name); });
    return kernels_.emplace(program.linked->index, std::move(kernels)).first->second;
}

} // namespace cag::compat
