#include "doctor/table.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cag {
namespace {

// Modules that the runtime loads by itself. Containers that a library loads on its own (embedded, raw) are chosen by its own rules.
bool is_loaded(ModuleKind kind) { return kind == ModuleKind::registered || kind == ModuleKind::linked; }

Coverage part_of(const Coverage& coverage, const std::vector<std::size_t>& files) {
    Coverage part;
    for (const std::size_t index : files) {
        part.files.push_back(coverage.files[index]);
    }
    return part;
}

// Written for one kind of GPU on purpose: all images are `a` or `f`.
bool is_specialised(const Module& module) {
    return std::all_of(module.images.begin(), module.images.end(), [](const Image& image) { return image.arch.variant != Variant::plain; });
}

// The worst outcome of each module's kernels. Specialised modules count only where they run: a program chooses them by GPU.
std::vector<const Outcome*> module_outcomes(const Coverage& part, const Prediction& prediction) {
    const auto badness = [](OutcomeKind kind) {
        return kind == OutcomeKind::fails ? 3 : kind == OutcomeKind::unknown ? 2 : kind == OutcomeKind::jit ? 1 : 0;
    };
    std::vector<const Outcome*> outcomes;
    for (const FilePrediction& file : prediction.files) {
        for (const ModulePrediction& prediction_of : file.modules) {
            const Module& module = part.files[file.file].modules[prediction_of.module];
            const Outcome* worst = nullptr;
            for (const Outcome& outcome : prediction_of.outcomes) {
                if (worst == nullptr || badness(outcome.kind) > badness(worst->kind)) {
                    worst = &outcome;
                }
            }
            if (is_loaded(module.kind) && worst != nullptr && (worst->kind != OutcomeKind::fails || !is_specialised(module))) {
                outcomes.push_back(worst);
            }
        }
    }
    // Where nothing but specialised modules is there, they are all that could run.
    if (outcomes.empty()) {
        for (const FilePrediction& file : prediction.files) {
            for (const ModulePrediction& prediction_of : file.modules) {
                if (is_loaded(part.files[file.file].modules[prediction_of.module].kind) && !prediction_of.outcomes.empty()) {
                    outcomes.push_back(&prediction_of.outcomes.front());
                }
            }
        }
    }
    return outcomes;
}

bool runs(const Outcome* outcome) { return outcome->kind == OutcomeKind::sass || outcome->kind == OutcomeKind::jit; }

// What the GPUs that it is made for get. A library with a module for each kind of GPU serves none of them whole.
struct Reference {
    std::size_t best = 0;  // modules served
    bool complete = false; // some GPU is served whole: the library is made to run everything everywhere
};

Reference reference_of(const Coverage& part, const InstalledCode& subject) {
    std::set<ComputeCapability> capabilities;
    for (const Arch arch : subject.sass) {
        capabilities.insert(arch.capability());
    }
    Reference reference;
    for (const ComputeCapability capability : capabilities) {
        const Gpu gpu{capability, data::is_tegra(capability), "", ""};
        const Prediction prediction = predict(part, gpu, newest_driver_for(gpu));
        const auto outcomes = module_outcomes(part, prediction);
        const auto served = static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), runs));
        reference.best = std::max(reference.best, served);
        reference.complete = reference.complete || served == outcomes.size();
    }
    return reference;
}

std::uint64_t ptx_bytes(const Coverage& part, const Outcome& outcome) {
    // The image is an index into a file that the outcome does not name; the size is only wanted roughly.
    std::uint64_t bytes = 0;
    for (const FileCoverage& file : part.files) {
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                if (is_loaded(module.kind) && image.kind == ImageKind::ptx && outcome.image && image.arch == outcome.image->arch) {
                    bytes += image.expanded_size;
                }
            }
        }
    }
    return bytes;
}

GpuAnswer cell_of(const Coverage& part, const InstalledCode& subject, const JudgedGpu& judged, const Environment& environment,
                  bool vendor) {
    GpuAnswer cell;
    const Prediction prediction = predict(part, judged.gpu, judged.driver, environment);
    const auto outcomes = module_outcomes(part, prediction);
    std::map<int, std::pair<std::size_t, const Outcome*>> errors; // by number: how often, and one of them
    std::size_t unknown = 0;
    cell.total = outcomes.size();
    for (const Outcome* outcome : outcomes) {
        cell.served += runs(outcome) ? 1 : 0;
        unknown += outcome->kind == OutcomeKind::unknown ? 1 : 0;
        if (outcome->kind == OutcomeKind::jit && ++cell.jit == 1) {
            cell.jit_bytes = ptx_bytes(part, *outcome);
        }
        if (outcome->kind == OutcomeKind::fails) {
            auto& [count, example] = errors[outcome->error ? outcome->error->code : 0];
            ++count;
            example = outcome;
        }
    }
    const Outcome* example = nullptr;
    std::size_t most = 0;
    for (const auto& [code, entry] : errors) {
        if (entry.first > most) {
            most = entry.first;
            example = entry.second;
        }
    }
    if (example != nullptr) {
        cell.error = example->error;
        cell.reason = example->reasons.empty() ? "" : example->reasons.front();
        cell.fixes = example->fixes;
    }
    const bool one_target = subject.sass.size() == 1 && subject.ptx.empty();
    if (cell.total == 0) {
        cell.kind = CellKind::unknown;
        cell.reason = "it loads its device code by its own rules";
    } else if (cell.served == cell.total) {
        cell.kind = cell.jit > 0 ? CellKind::jit : CellKind::runs;
    } else if (cell.served == 0) {
        cell.kind = unknown > 0 || (vendor && one_target) ? CellKind::unknown : CellKind::fails;
        if (vendor && one_target) {
            cell.reason = "it holds special code for one GPU only";
        }
    } else {
        // NVIDIA's libraries are made of modules for one generation each, and choose.
        const Reference reference = vendor ? Reference{} : reference_of(part, subject);
        cell.kind = !reference.complete && 2 * cell.served >= reference.best ? CellKind::part : CellKind::few;
    }
    return cell;
}

} // namespace

void judge_subject(const Coverage& coverage, const std::vector<std::size_t>& files, const Examination& examination, bool vendor,
                   InstalledCode& subject) {
    const Coverage part = part_of(coverage, files);
    std::set<Arch> sass;
    std::set<Arch> ptx;
    for (const FileCoverage& file : part.files) {
        bool any = false;
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                any = true;
                if (is_loaded(module.kind) && !image.empty) {
                    (image.kind == ImageKind::ptx ? ptx : sass).insert(image.arch);
                }
            }
        }
        subject.files += any ? 1 : 0;
    }
    subject.sass.assign(sass.begin(), sass.end());
    subject.ptx.assign(ptx.begin(), ptx.end());
    for (const JudgedGpu& gpu : examination.gpus) {
        subject.cells.push_back(cell_of(part, subject, gpu, examination.machine.environment, vendor));
    }
}

} // namespace cag
