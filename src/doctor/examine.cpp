// examine(): reads what is installed and judges every package with device code for every GPU. Nothing is imported or run.
#include "compat/spec.hpp"
#include "coverage/scan.hpp"
#include "doctor/claims.hpp"
#include "doctor/doctor.hpp"
#include "doctor/libraries.hpp"
#include "doctor/table.hpp"
#include "input/file.hpp"
#include "object/object.hpp"
#include "survey/survey.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace cag {
namespace {

std::string label_of(const Gpu& gpu) {
    return gpu.name.empty() ? "compute capability " + to_string(gpu.capability)
                            : fmt::format("{} ({})", gpu.name, to_string(gpu.capability));
}

std::vector<JudgedGpu> judged_gpus(const Machine& machine, const DoctorOptions& options) {
    std::vector<JudgedGpu> judged;
    const auto local = driver_of(machine);
    const auto add = [&](const Gpu& gpu, std::optional<std::size_t> index) {
        const auto driver = options.driver ? options.driver : local;
        judged.push_back({gpu, driver ? *driver : newest_driver_for(gpu), index, label_of(gpu)});
    };
    if (!options.gpus.empty()) {
        for (const Gpu& gpu : options.gpus) {
            add(gpu, std::nullopt);
        }
        return judged;
    }
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        const MachineGpu& found = machine.gpus[i];
        if (!found.capability || found.emulated) {
            continue;
        }
        // Of equal GPUs one is enough.
        const bool twice = std::any_of(judged.begin(), judged.end(), [&](const JudgedGpu& other) {
            const MachineGpu& known = machine.gpus[*other.machine];
            return known.capability->value == found.capability->value && known.name.has_value() == found.name.has_value() &&
                   (!known.name || known.name->value == found.name->value);
        });
        if (!twice) {
            Gpu gpu{found.capability->value, found.tegra, found.name ? found.name->value : "", ""};
            if (const auto named = parse_gpu(gpu.name); named && named->capability == gpu.capability) {
                gpu.platform = named->platform;
            }
            add(gpu, i);
        }
    }
    return judged;
}

std::vector<std::string> toolkit_folders(const Inventory& inventory) {
    std::vector<std::string> folders;
    for (const Toolkit& toolkit : inventory.toolkits) {
        folders.push_back(toolkit.folder + "/lib64");
    }
    return folders;
}

bool is_tensorrt_plan(const Host& host, const std::string& path) {
    const auto file = FileSource::open(real_path(host, path));
    const auto head = file && (*file)->size() >= 4 ? ByteView(**file).read<std::array<char, 4>>(0, "head") : failure("", "");
    const std::string_view magic = head ? std::string_view(head->data(), 4) : "";
    const std::string_view name = path;
    const auto ends = [&](std::string_view end) { return name.size() > end.size() && name.substr(name.size() - end.size()) == end; };
    return magic == "ftrt" || magic == "ptrt" || ends(".engine") || ends(".plan") || ends(".trt");
}

std::set<Arch> archs_of(const FileCoverage& file) {
    std::set<Arch> archs;
    for (const Module& module : file.modules) {
        for (const Image& image : module.images) {
            archs.insert(image.arch);
        }
    }
    return archs;
}

std::string text_of(const std::set<Arch>& archs) {
    std::vector<std::string> names;
    std::transform(archs.begin(), archs.end(), std::back_inserter(names), [](Arch arch) { return "sm_" + to_string(arch); });
    return fmt::format("{}", fmt::join(names, " "));
}

// Cached code that none of the GPUs can use: made for another GPU, on a machine that shared this folder or had another card.
void find_stale(const Host& host, const DoctorOptions& options, Examination& examination) {
    std::vector<std::string> paths;
    std::vector<std::string> names;
    for (const CacheFolder& cache : examination.inventory.caches) {
        for (const std::string& file : cache.files) {
            names.push_back(file);
            paths.push_back(real_path(host, file));
        }
    }
    if (paths.empty() || examination.gpus.empty()) {
        return;
    }
    const Coverage coverage = scan(paths, {ScanDepth::headers, options.limits, options.threads});
    std::set<std::string> served;
    for (const JudgedGpu& judged : examination.gpus) {
        for (const FilePrediction& file : predict(coverage, judged.gpu, judged.driver).files) {
            for (const ModulePrediction& module : file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    if (outcome.kind != OutcomeKind::fails) {
                        served.insert(coverage.files[file.file].path);
                    }
                }
            }
        }
    }
    for (const FileCoverage& file : coverage.files) {
        if (!file.modules.empty() && served.count(file.path) == 0) {
            const auto index = static_cast<std::size_t>(std::find(paths.begin(), paths.end(), file.path) - paths.begin());
            examination.stale.emplace_back(index < names.size() ? names[index] : file.path, text_of(archs_of(file)));
        }
    }
}

// The same kernel in two of a program's files, with other architectures: which of the two host stubs is called depends on the loader.
void find_collisions(const std::vector<std::string>& paths, const DoctorOptions& options, Examination& examination) {
    if (paths.size() < 2) {
        return;
    }
    const Coverage coverage = scan(paths, {ScanDepth::payload, options.limits, options.threads});
    std::map<std::string, std::pair<std::size_t, std::set<Arch>>> seen; // kernel: file, architectures
    for (std::size_t f = 0; f < coverage.files.size(); ++f) {
        std::map<std::string, std::set<Arch>> here;
        for (const Module& module : coverage.files[f].modules) {
            for (const Image& image : module.images) {
                for (const Kernel& kernel : image.kernels) {
                    here[kernel.name].insert(image.arch);
                }
            }
        }
        for (const auto& [name, archs] : here) {
            const auto [entry, is_new] = seen.try_emplace(name, f, archs);
            if (!is_new && entry->second.second != archs && examination.collisions.size() < 5) {
                examination.collisions.push_back(fmt::format("{}: {} in {}, {} in {}", name, text_of(entry->second.second),
                                                             coverage.files[entry->second.first].path, text_of(archs),
                                                             coverage.files[f].path));
            }
        }
    }
}

struct Group {
    InstalledCode subject;
    std::vector<std::string> files; // on this machine
    bool vendor = false;
};

std::vector<Group> groups_of(const Host& host, const DoctorOptions& options, Examination& examination) {
    std::vector<Group> groups;
    for (const std::string& path : options.paths) {
        if (is_tensorrt_plan(host, path)) {
            examination.plans.push_back(path);
            continue;
        }
        Group group;
        group.subject.name = path;
        group.subject.program = true;
        const LoadedFiles loaded = loaded_files(host, path, toolkit_folders(examination.inventory), options.limits);
        for (const std::string& file : loaded.files) {
            group.files.push_back(real_path(host, file));
        }
        for (const std::string& name : loaded.missing) {
            examination.unread.push_back(
                {"CAG408",
                 fmt::format("{} loads {}, which was not found: not judged. Put its folder into LD_LIBRARY_PATH", path, name),
                 {}});
        }
        groups.push_back(std::move(group));
    }
    for (const PythonEnvironment& python : examination.inventory.pythons) {
        for (const PythonPackage& package : python.packages) {
            if (package.libraries.empty()) {
                continue;
            }
            Group group;
            group.subject.name = package.name;
            group.subject.environment = python.prefix;
            group.vendor = lower(package.name).substr(0, 7) == "nvidia-" || lower(package.name).substr(0, 7) == "nvidia_";
            const Claims claims = claims_of(host, package);
            group.subject.version = claims.version;
            group.subject.cuda = claims.cuda;
            group.subject.claims = claims.archs;
            for (const std::string& file : package.libraries) {
                if (exists(host, file)) {
                    group.files.push_back(real_path(host, file));
                }
            }
            groups.push_back(std::move(group));
        }
    }
    return groups;
}

} // namespace

Examination examine(const Host& host, Machine machine, const DoctorOptions& options) {
    Examination examination;
    examination.machine = std::move(machine);
    examination.inventory = take_inventory(host, options.pythons);
    examination.programs = options.paths;
    examination.gpus = judged_gpus(examination.machine, options);
    examination.driver_known = options.driver || driver_of(examination.machine);

    std::vector<Group> groups = groups_of(host, options, examination);
    std::vector<std::string> paths;
    std::vector<std::string> program_files;
    for (const Group& group : groups) {
        paths.insert(paths.end(), group.files.begin(), group.files.end());
        if (group.subject.program) {
            program_files.insert(program_files.end(), group.files.begin(), group.files.end());
        }
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    if (!paths.empty()) {
        examination.coverage = scan(paths, {ScanDepth::headers, options.limits, options.threads});
    }
    std::map<std::string, std::vector<std::size_t>> by_path;
    for (std::size_t i = 0; i < examination.coverage.files.size(); ++i) {
        const FileCoverage& file = examination.coverage.files[i];
        by_path[file.path].push_back(i);
        for (const Problem& problem : file.problems) {
            examination.unread.push_back({problem.code, file.path + ": " + problem.message, problem.offset});
        }
    }
    for (Group& group : groups) {
        std::vector<std::size_t> files;
        for (const std::string& path : group.files) {
            const auto& found = by_path[path];
            files.insert(files.end(), found.begin(), found.end());
        }
        judge_subject(examination.coverage, files, examination, group.vendor, group.subject);
        if (group.subject.files > 0 || group.subject.program || !group.subject.cuda.empty() || group.subject.name == "torch") {
            examination.subjects.push_back(std::move(group.subject));
        }
    }
    find_stale(host, options, examination);
    find_collisions(program_files, options, examination);
    return examination;
}

const char* to_string(CellKind kind) {
    switch (kind) {
    case CellKind::runs:
        return "runs";
    case CellKind::jit:
        return "jit";
    case CellKind::part:
        return "part";
    case CellKind::few:
        return "few";
    case CellKind::fails:
        return "fails";
    case CellKind::unknown:
        break;
    }
    return "unknown";
}

} // namespace cag
