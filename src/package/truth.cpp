#include "package/truth.hpp"

#include "data/tables.hpp"
#include "policy/subject.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace cag {

namespace {

// Containers in data sections are one pool a file: the library chooses among them, and any may serve a kernel.
bool is_pooled(const FileCoverage& file, const Module& module) {
    return module.kind == ModuleKind::embedded || (module.kind == ModuleKind::raw && file.role != FileRole::raw);
}

// A module for other GPUs on purpose: no image serves this one. What an image that does serve lacks is no purpose, and neither is what is
// not known.
bool is_for_others(const Outcome& outcome, const FileCoverage& file, std::size_t module) {
    constexpr int no_kernel_image = 209;
    return outcome.kind == OutcomeKind::fails && outcome.error && outcome.error->code == no_kernel_image &&
           is_specialised(file, {Subject::Kind::module, 0, {module}, true});
}

// Kernels with the best that happens to them, where several modules may serve.
struct Served {
    OutcomeKind kind = OutcomeKind::unknown;
    bool elsewhere = true; // all modules that hold it are for other GPUs

    void take(OutcomeKind other, bool other_elsewhere) {
        kind = std::min(kind, other); // sass, jit, fails, unknown
        elsewhere = elsewhere && other_elsewhere;
    }
};

void add(GpuTruth& truth, const Served& kernel) {
    const bool runs = kernel.kind == OutcomeKind::sass || kernel.kind == OutcomeKind::jit;
    truth.elsewhere += !runs && kernel.elsewhere ? 1 : 0;
    truth.of += runs || !kernel.elsewhere ? 1 : 0;
    truth.kernels += runs ? 1 : 0;
    truth.compiled += kernel.kind == OutcomeKind::jit ? 1 : 0;
}

// Counts the file's kernels. Gives the modules of which any kernel does not run.
std::set<std::size_t> count(const FileCoverage& file, const Gpu& gpu, const Driver& driver, GpuTruth& truth) {
    std::set<std::size_t> failing;
    std::map<std::string, Served> pool;
    for_each_outcome(file, gpu, driver, {}, [&](std::size_t module, const Outcome& outcome) {
        const Served served{outcome.kind, is_for_others(outcome, file, module)};
        truth.certain = truth.certain && outcome.kind != OutcomeKind::unknown;
        if (served.kind > OutcomeKind::jit) {
            failing.insert(module);
        }
        if (is_pooled(file, file.modules[module])) {
            pool[outcome.kernel].take(served.kind, served.elsewhere);
        } else {
            add(truth, served);
        }
    });
    for (const auto& [kernel, served] : pool) {
        add(truth, served);
    }
    return failing;
}

void drop_ends_without_anything(std::vector<GpuTruth>& gpus) {
    const auto anything = [](const GpuTruth& truth) { return truth.runs != Extent::none; };
    const auto first = std::ranges::find_if(gpus, anything);
    gpus.erase(gpus.begin(), first == gpus.begin() ? first : first - 1); // one stays, to show where it ends
}

PackageTruth truth_of(const PackageContent& package, const std::vector<ClaimText>& texts) {
    PackageTruth truth;
    truth.path = package.path;
    for (const FileCoverage* file : package.files) {
        truth.files += file->modules.empty() ? 0 : 1;
        truth.base_files += !file->modules.empty() && file->origin.find("(base)") != std::string::npos ? 1 : 0;
        truth.modules += file->modules.size();
        truth.partial = truth.partial || !file->problems.empty();
    }
    if (truth.modules != 0) {
        for (const Gpu& gpu : known_gpus()) {
            truth.gpus.push_back(truth_on(gpu, package));
            truth.kernels = truth.gpus.back().of + truth.gpus.back().elsewhere; // the same on all
        }
        drop_ends_without_anything(truth.gpus);
    }
    truth.claims = check_claims(package, texts);
    return truth;
}

} // namespace

std::vector<Gpu> known_gpus() {
    std::set<ComputeCapability> capabilities;
    for (const data::Chip& chip : data::chips()) {
        if (chip.capability && chip.capability->major >= 5) {
            capabilities.insert(*chip.capability);
        }
    }
    std::vector<Gpu> gpus;
    for (const ComputeCapability capability : capabilities) {
        gpus.push_back({capability, data::is_tegra(capability), "", ""});
    }
    return gpus;
}

GpuTruth truth_on(const Gpu& gpu, const PackageContent& package) {
    GpuTruth truth;
    truth.gpu = gpu;
    const Driver driver = newest_driver_for(gpu);
    std::vector<std::set<std::size_t>> failing;
    for (const FileCoverage* file : package.files) {
        const std::size_t before = truth.of - truth.kernels;
        failing.push_back(count(*file, gpu, driver, truth));
        if (truth.of - truth.kernels > before) {
            truth.lacking.push_back(file->member.value_or(file->path));
        }
    }
    truth.runs = truth.kernels == 0 ? Extent::none : truth.kernels < truth.of ? Extent::part : Extent::all;
    if (truth.runs != Extent::none) {
        truth.floor =
            driver_floor(package.files, gpu, [&](std::size_t file, std::size_t module) { return !failing[file].contains(module); });
    }
    return truth;
}

std::vector<PackageTruth> truths_of(const Coverage& coverage, const std::vector<std::string>& inputs, const std::vector<ClaimText>& texts) {
    std::vector<PackageTruth> truths;
    for (const PackageContent& package : packages_in(coverage, inputs)) {
        truths.push_back(truth_of(package, texts));
    }
    return truths;
}

std::vector<std::pair<std::size_t, std::size_t>> variants(const std::vector<PackageTruth>& packages) {
    std::map<std::string, std::size_t> first;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < packages.size(); ++i) {
        const std::string& path = packages[i].path;
        const std::string name = path.substr(path.rfind('/') + 1); // "torch-2.15.0+cu130-cp311-cp311-win_amd64.whl"
        const auto version = name.find('-');
        const auto end = version == std::string::npos ? version : name.find_first_of("-+", version + 1);
        if (name.ends_with(".whl") && end != std::string::npos) {
            const auto [at, added] = first.emplace(name.substr(0, end), i);
            if (!added) {
                pairs.emplace_back(at->second, i);
            }
        }
    }
    return pairs;
}

std::vector<PackageDifference> differences(const PackageTruth& first, const PackageTruth& second) {
    std::map<ComputeCapability, PackageDifference> by_capability;
    for (const GpuTruth& truth : first.gpus) {
        by_capability[truth.gpu.capability] = {truth.gpu, truth.runs, Extent::none};
    }
    for (const GpuTruth& truth : second.gpus) {
        PackageDifference& difference = by_capability[truth.gpu.capability];
        difference.gpu = truth.gpu;
        difference.second = truth.runs;
    }
    std::vector<PackageDifference> found;
    for (const auto& [capability, difference] : by_capability) {
        if (difference.first != difference.second) {
            found.push_back(difference);
        }
    }
    return found;
}

const char* to_string(Extent extent) { return extent == Extent::all ? "all" : extent == Extent::part ? "part" : "none"; }

} // namespace cag
