#include "package/truth.hpp"

#include "data/tables.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cag {

namespace {

// Capabilities that some chip has, from Maxwell on: older ones are in no package of today.
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

// Containers in data sections are one pool a file: the library chooses among them, and any may serve a kernel.
bool is_pooled(const FileCoverage& file, const Module& module) {
    return module.kind == ModuleKind::embedded || (module.kind == ModuleKind::raw && file.role != FileRole::raw);
}

struct Count {
    std::size_t runs = 0;
    std::size_t of = 0;
    std::size_t compiled = 0;

    void add(OutcomeKind kind) {
        ++of;
        runs += kind == OutcomeKind::sass || kind == OutcomeKind::jit ? 1 : 0;
        compiled += kind == OutcomeKind::jit ? 1 : 0;
    }
};

Count count(const FileCoverage& file, const FilePrediction& prediction) {
    Count count;
    std::map<std::string, OutcomeKind> pool;
    for (const ModulePrediction& module : prediction.modules) {
        const bool pooled = is_pooled(file, file.modules[module.module]);
        for (const Outcome& outcome : module.outcomes) {
            if (!pooled) {
                count.add(outcome.kind);
                continue;
            }
            const auto known = pool.emplace(outcome.kernel, outcome.kind).first;
            known->second = std::min(known->second, outcome.kind); // sass, jit, fails, unknown
        }
    }
    for (const auto& [kernel, kind] : pool) {
        count.add(kind);
    }
    return count;
}

GpuTruth truth_on(const Gpu& gpu, const Coverage& package) {
    GpuTruth truth;
    truth.gpu = gpu;
    const Prediction prediction = predict(package, gpu, newest_driver_for(gpu));
    for (const FilePrediction& file : prediction.files) {
        const FileCoverage& coverage = package.files[file.file];
        const Count counted = count(coverage, file);
        truth.kernels += counted.runs;
        truth.of += counted.of;
        truth.compiled += counted.compiled;
        if (counted.runs < counted.of) {
            truth.lacking.push_back(coverage.member.value_or(coverage.path));
        }
    }
    truth.runs = truth.kernels == 0 ? Extent::none : truth.kernels < truth.of ? Extent::part : Extent::all;
    if (truth.runs == Extent::all) {
        truth.floor = driver_floor(package, gpu);
    }
    return truth;
}

// In an environment, a package is the folder of a distribution: the one beside its .dist-info. Elsewhere it is the archive, or the path
// that was asked for.
class Grouping {
  public:
    Grouping(const Coverage& coverage, const std::vector<std::string>& inputs) : inputs_(inputs) {
        for (const TextFile& text : coverage.texts) {
            if (!text.member && text.path.ends_with(".dist-info/METADATA")) {
                roots_.insert(parent(parent(text.path)));
            }
        }
    }

    [[nodiscard]] std::string key_of(const std::string& path, bool in_archive) const {
        if (in_archive) {
            return path;
        }
        for (std::string root = parent(path); !root.empty(); root = parent(root)) {
            if (roots_.contains(root)) {
                std::string below = path.substr(root.size() + 1);
                const bool shared = below.starts_with("nvidia/"); // nvidia/cublas, nvidia/cudnn, ...
                auto end = below.find('/');
                end = shared && end != std::string::npos ? below.find('/', end + 1) : end;
                return root + '/' + below.substr(0, end);
            }
        }
        const auto input = std::ranges::find_if(
            inputs_, [&](const std::string& i) { return path == i || path.starts_with(i.ends_with('/') ? i : i + '/'); });
        return input == inputs_.end() ? path : *input;
    }

    // "site-packages/torch-2.8.0.dist-info/METADATA" belongs to "site-packages/torch".
    [[nodiscard]] std::string key_of(const TextFile& text) const {
        const std::string folder = parent(text.path);
        if (text.member || !folder.ends_with(".dist-info")) {
            return key_of(text.path, text.member.has_value());
        }
        const std::string root = parent(folder);
        const std::string name = folder.substr(root.size() + 1);
        return root + '/' + name.substr(0, name.find('-'));
    }

  private:
    static std::string parent(const std::string& path) {
        const auto slash = path.rfind('/');
        return slash == std::string::npos ? "" : path.substr(0, slash);
    }

    const std::vector<std::string>& inputs_;
    std::set<std::string> roots_;
};

void drop_ends_without_anything(std::vector<GpuTruth>& gpus) {
    const auto anything = [](const GpuTruth& truth) { return truth.runs != Extent::none; };
    const auto first = std::ranges::find_if(gpus, anything);
    gpus.erase(gpus.begin(), first == gpus.begin() ? first : first - 1); // one stays, to show where it ends
}

PackageTruth truth_of(std::string path, const Coverage& package) {
    PackageTruth truth;
    std::vector<PackageClaim> claims = claims_of_file_name(path);
    truth.path = std::move(path);
    for (const FileCoverage& file : package.files) {
        truth.files += file.modules.empty() ? 0 : 1;
        truth.base_files += !file.modules.empty() && file.origin.find("(base)") != std::string::npos ? 1 : 0;
        truth.modules += file.modules.size();
        truth.partial = truth.partial || !file.problems.empty();
        std::ranges::move(claims_of_library(file), std::back_inserter(claims));
    }
    for (const TextFile& text : package.texts) {
        std::ranges::move(claims_of(text), std::back_inserter(claims));
    }
    if (truth.modules != 0) {
        for (const Gpu& gpu : known_gpus()) {
            truth.gpus.push_back(truth_on(gpu, package));
        }
        drop_ends_without_anything(truth.gpus);
    }
    truth.claims = check_claims(claims, package);
    return truth;
}

} // namespace

std::vector<PackageTruth> truths_of(const Coverage& coverage, const std::vector<std::string>& inputs) {
    const Grouping grouping(coverage, inputs);
    std::vector<std::pair<std::string, Coverage>> packages; // in the order in which they are met
    std::map<std::string, std::size_t> index;
    const auto package = [&](const std::string& key) -> Coverage& {
        const auto [at, added] = index.emplace(key, packages.size());
        if (added) {
            packages.emplace_back(key, Coverage{});
        }
        return packages[at->second].second;
    };
    for (const FileCoverage& file : coverage.files) {
        package(grouping.key_of(file.path, file.member.has_value())).files.push_back(file);
    }
    for (const TextFile& text : coverage.texts) {
        if (const std::string key = grouping.key_of(text); index.contains(key)) {
            package(key).texts.push_back(text);
        }
    }
    std::vector<PackageTruth> truths;
    for (auto& [key, content] : packages) {
        truths.push_back(truth_of(key, content));
    }
    return truths;
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
