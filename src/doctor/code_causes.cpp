// What the installed code does on the GPUs here.
#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "doctor/causes.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace cag::doctor {
namespace {

std::string list_of(const std::vector<Arch>& archs) {
    std::vector<std::string> names;
    std::transform(archs.begin(), archs.end(), std::back_inserter(names), [](Arch arch) { return to_string(arch); });
    return fmt::format("{}", fmt::join(names, " "));
}

std::string holdings(const InstalledCode& code) {
    return fmt::format("{} with device code: SASS {}; {}", code.files == 1 ? "1 file" : fmt::format("{} files", code.files),
                       code.sass.empty() ? "none" : list_of(code.sass), code.ptx.empty() ? "no PTX" : "PTX " + list_of(code.ptx));
}

bool is_torch(const InstalledCode& code) { return lower(code.name) == "torch"; }

// The published builds of the framework that have code for the GPU, from the table.
std::vector<const data::FrameworkBuild*> builds_for(const std::string& framework, const Gpu& gpu) {
    std::vector<const data::FrameworkBuild*> builds;
    for (const data::FrameworkBuild& build : data::framework_builds()) {
        const bool serves = std::any_of(build.sass.begin(), build.sass.end(), [&](Arch arch) {
            return arch.variant == Variant::plain && arch.major == gpu.capability.major && arch.minor <= gpu.capability.minor &&
                   data::is_tegra(arch.capability()) == gpu.tegra && (!gpu.tegra || arch.capability() == gpu.capability);
        });
        if (build.framework == framework && serves) {
            builds.push_back(&build);
        }
    }
    return builds;
}

std::string named(const data::FrameworkBuild& build) { return fmt::format("{} (CUDA {})", build.version, build.cuda); }

// The GPU is older than all that the build is made for: what it says of itself counts, else what it holds.
bool is_too_old(const InstalledCode& code, const JudgedGpu& gpu) {
    std::optional<ComputeCapability> oldest;
    for (const std::string_view word : split(code.claims, ' ')) {
        const auto arch = word.substr(0, 3) == "sm_" ? parse_arch(word) : std::nullopt;
        if (arch && (!oldest || arch->capability() < *oldest)) {
            oldest = arch->capability();
        }
    }
    if (!oldest && !code.sass.empty()) {
        oldest = code.sass.front().capability();
    }
    return oldest && gpu.gpu.capability < *oldest;
}

std::string from_source(const InstalledCode& code, const JudgedGpu& gpu) {
    const std::string capability = to_string(gpu.gpu.capability);
    return lower(code.name).find("torch") != std::string::npos
               ? fmt::format("build from source with TORCH_CUDA_ARCH_LIST=\"{}\"", capability)
               : "build from source for compute capability " + capability;
}

std::vector<std::string> torch_fixes(const InstalledCode& code, const JudgedGpu& gpu) {
    const auto builds = builds_for("pytorch", gpu.gpu);
    std::vector<std::string> fixes;
    if (is_too_old(code, gpu)) {
        fixes.push_back("take an older build: no newer one brings this GPU back" +
                        (builds.empty() ? "" : fmt::format(". PyTorch {} is the newest known with it", named(*builds.back()))));
    } else if (!builds.empty()) {
        std::string digits(builds.front()->cuda);
        digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
        fixes.push_back(
            fmt::format("pip install --upgrade torch --index-url https://download.pytorch.org/whl/cu{} (PyTorch {} or newer, built "
                        "with CUDA {} or newer)",
                        digits, builds.front()->version, builds.front()->cuda));
    }
    return fixes;
}

std::vector<std::string> code_fixes(const InstalledCode& code, const JudgedGpu& gpu) {
    if (code.program) {
        return {};
    }
    std::vector<std::string> fixes;
    if (gpu.gpu.tegra) {
        fixes.push_back(fmt::format("install {}; packages for servers hold no code for {}",
                                    is_torch(code) ? "NVIDIA's PyTorch wheel for Jetson" : "a build of " + code.name + " for Jetson",
                                    to_string(gpu.gpu.capability)));
    } else if (is_torch(code)) {
        fixes = torch_fixes(code, gpu);
    } else {
        fixes.push_back(is_too_old(code, gpu) ? fmt::format("take an older {}: newer ones do not bring this GPU back", code.name)
                                              : fmt::format("pip install --upgrade {}", code.name));
    }
    fixes.push_back(from_source(code, gpu));
    return fixes;
}

const char* code_of_error(int error) {
    switch (error) {
    case 35:
        return "CAG305";
    case 100:
        return "CAG302";
    case 200:
    case 222:
        return "CAG301";
    default:
        return "CAG103";
    }
}

std::string subject_of(const InstalledCode& code) {
    return code.program ? code.name : fmt::format("{}{}", display_name(code), code.version.empty() ? "" : " " + code.version);
}

// "PyTorch 2.8.0+cu126 has no code for your RTX 5090 (12.0)"
std::string title_of(const InstalledCode& code, const JudgedGpu& gpu, const GpuAnswer& cell) {
    const int error = cell.error ? cell.error->code : 0;
    const std::string name = subject_of(code);
    const std::string your = gpu.machine ? "your " : "";
    switch (error) {
    case 35:
        return fmt::format("{} is built for a newer CUDA than driver {} supports ({}): error 35", name, gpu.driver.name,
                           to_string(gpu.driver.cuda));
    case 200:
        return fmt::format("{} has code for {}{}, compressed in a way that driver {} cannot unpack: error 200", name, your, gpu.label,
                           gpu.driver.name);
    case 222:
        return fmt::format("{} has only PTX for {}{}, newer than driver {} compiles: error 222", name, your, gpu.label, gpu.driver.name);
    case 223:
        return fmt::format("{} has only PTX for {}{}, and the environment forbids to compile it: error 223", name, your, gpu.label);
    default:
        break;
    }
    if (cell.kind == CellKind::few) {
        return fmt::format("{} has code for {}{} in {} of {} modules only", name, your, gpu.label, cell.served, cell.total);
    }
    return fmt::format("{} has no code for {}{}", name, your, gpu.label);
}

bool env_forces_jit(const Examination& examination) {
    for (const char* name : {"CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"}) {
        const auto found = examination.machine.environment.find(name);
        if (found != examination.machine.environment.end() && found->second == "1") {
            return true;
        }
    }
    return false;
}

void code_that_fails(const Examination& examination, Causes& causes) {
    std::set<std::string> said;
    for (const InstalledCode& code : examination.subjects) {
        for (std::size_t i = 0; i < code.cells.size(); ++i) {
            const GpuAnswer& cell = code.cells[i];
            const JudgedGpu& gpu = examination.gpus[i];
            const int error = cell.error ? cell.error->code : 0;
            const bool bad = cell.kind == CellKind::fails || cell.kind == CellKind::few;
            // A driver that does not drive the GPU, or hides it, is a cause of its own.
            if (!bad || error == 100 || error == 804 || !said.insert(subject_of(code) + gpu.label).second) {
                continue;
            }
            // Most of it runs: worth knowing, and no reason to call the machine sick. A program that was asked about must run whole.
            const bool mostly = cell.kind == CellKind::few && !code.program && 4 * cell.served >= 3 * cell.total;
            PossibleCause cause{
                code_of_error(error), mostly ? Level::warning : Level::error, title_of(code, gpu, cell), {holdings(code)}, {}};
            if (!code.claims.empty()) {
                cause.evidence.push_back("it says of itself: " + code.claims);
            }
            if (!cell.reason.empty()) {
                cause.evidence.push_back(cell.reason);
            }
            if (env_forces_jit(examination) && error != 35) {
                cause.title += ", because CUDA_FORCE_PTX_JIT ignores its machine code";
                cause.fixes = {"unset CUDA_FORCE_PTX_JIT CUDA_FORCE_JIT"};
            } else if (error == 0 || error == 209 || error == 500) {
                cause.fixes = code_fixes(code, gpu);
                cause.fixes.insert(cause.fixes.end(), cell.fixes.begin(), code.program ? cell.fixes.end() : cell.fixes.begin());
            } else {
                cause.fixes = cell.fixes;
            }
            // On a host with several GPUs, the others go on working when this one is hidden.
            std::vector<std::string> others;
            for (std::size_t other = 0; other < examination.gpus.size(); ++other) {
                const CellKind kind = code.cells[other].kind;
                if (examination.gpus[other].machine && (kind == CellKind::runs || kind == CellKind::part || kind == CellKind::jit)) {
                    const MachineGpu& found = examination.machine.gpus[*examination.gpus[other].machine];
                    others.push_back(found.uuid ? found.uuid->value : std::to_string(found.index));
                }
            }
            if (!others.empty() && gpu.machine) {
                cause.fixes.insert(cause.fixes.begin(), fmt::format("hide it: export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={}",
                                                                    fmt::join(others, ",")));
            }
            causes.push_back(std::move(cause));
        }
    }
}

// A framework's CUDA major above the driver's: its runtime refuses to start, whatever code it has.
void runtime_newer_than_the_driver(const Examination& examination, Causes& causes) {
    if (!examination.driver_known || examination.gpus.empty()) {
        return;
    }
    const Driver& driver = examination.gpus.front().driver;
    for (const InstalledCode& code : examination.subjects) {
        const unsigned major = number_in<unsigned>(std::string_view(code.cuda).substr(0, code.cuda.find('.'))).value_or(0);
        const bool said =
            std::any_of(code.cells.begin(), code.cells.end(), [](const GpuAnswer& cell) { return cell.error && cell.error->code == 35; });
        if (major <= driver.cuda.major || said) {
            continue;
        }
        const data::Toolkit* row = data::find_toolkit({major, 0});
        const unsigned branch = row != nullptr ? row->oldest_driver.value_or(0) : 0;
        causes.push_back({"CAG305",
                          Level::error,
                          fmt::format("{} is built for a newer CUDA than driver {} supports ({}): error 35", subject_of(code), driver.name,
                                      to_string(driver.cuda)),
                          {fmt::format("it says of itself: CUDA {}", code.cuda), holdings(code)},
                          {branch > 0 ? fmt::format("update the driver to R{} or newer", branch) : "update the driver",
                           fmt::format("install the build for CUDA {}", driver.cuda.major)}});
    }
}

void code_that_is_compiled_at_load(const Examination& examination, Causes& causes) {
    for (const InstalledCode& code : examination.subjects) {
        for (std::size_t i = 0; i < code.cells.size(); ++i) {
            const GpuAnswer& cell = code.cells[i];
            if (cell.kind != CellKind::jit && !(cell.kind == CellKind::part && 2 * cell.jit > cell.served)) {
                continue;
            }
            const auto jit = std::find_if(examination.inventory.caches.begin(), examination.inventory.caches.end(),
                                          [](const CacheFolder& cache) { return cache.kind == "CUDA JIT"; });
            const bool lost = jit != examination.inventory.caches.end() && !jit->writable;
            causes.push_back({"CAG319",
                              lost ? Level::warning : Level::note,
                              fmt::format("{} runs on {} only after compiling its PTX ({:.1f} MiB) at the first start{}", subject_of(code),
                                          examination.gpus[i].label, static_cast<double>(cell.jit_bytes) / (1 << 20),
                                          lost ? ", and every time: the cache cannot be written" : ""),
                              {holdings(code)},
                              {"keep CUDA_CACHE_PATH on a volume that stays, and raise CUDA_CACHE_MAXSIZE (bytes)",
                               fmt::format("install or build one with SASS for {}", to_string(examination.gpus[i].gpu.capability))}});
        }
    }
}

// What a framework says of itself against what it holds.
void claims_without_code(const Examination& examination, Causes& causes) {
    for (const InstalledCode& code : examination.subjects) {
        std::vector<std::string> missing;
        for (const std::string_view word : split(code.claims, ' ')) {
            const auto arch = word.substr(0, 3) == "sm_" ? parse_arch(word) : std::nullopt;
            if (arch && code.files > 0 && std::find(code.sass.begin(), code.sass.end(), *arch) == code.sass.end()) {
                missing.push_back(std::string(word));
            }
        }
        if (!missing.empty()) {
            causes.push_back({"CAG110",
                              Level::warning,
                              fmt::format("{} says that it has {}, and its binaries do not", subject_of(code), fmt::join(missing, ", ")),
                              {"it says of itself: " + code.claims, holdings(code)},
                              {"trust the binaries; report it to the package's authors"}});
        }
    }
}

void builds_without_cuda(const Examination& examination, Causes& causes) {
    for (const InstalledCode& code : examination.subjects) {
        const bool says_so = code.cuda.empty() || holds(code.version, "+cpu");
        if (is_torch(code) && code.files == 0 && says_so && !examination.gpus.empty()) {
            causes.push_back({"CAG106",
                              Level::error,
                              fmt::format("{} is a build without CUDA", subject_of(code)),
                              {"no file of it holds device code"},
                              {"pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128"}});
        }
    }
    for (const PythonEnvironment& python : examination.inventory.pythons) {
        const PythonPackage* plain = find_package(python, "onnxruntime");
        if (plain != nullptr && find_package(python, "onnxruntime-gpu") == nullptr && !examination.gpus.empty()) {
            causes.push_back({"CAG106",
                              Level::note,
                              fmt::format("ONNX Runtime {} is the build for CPUs", plain->version),
                              {"the package is onnxruntime; the one with the CUDA provider is onnxruntime-gpu"},
                              {"pip uninstall onnxruntime && pip install onnxruntime-gpu"}});
        }
    }
}

// cuDNN drops GPUs before the frameworks do.
void cudnn_drops(const Examination& examination, Causes& causes) {
    for (const CudaFile& file : examination.inventory.files) {
        if (file.kind != "cudnn" || !file.version || *file.version < CudaVersion{9, 11}) {
            continue;
        }
        for (const JudgedGpu& gpu : examination.gpus) {
            if (gpu.gpu.capability < ComputeCapability{7, 5}) {
                causes.push_back(
                    {"CAG103",
                     Level::error,
                     fmt::format("cuDNN {} does not run on {}: from 9.11 on it begins with 7.5", to_string(*file.version), gpu.label),
                     {file.path + (file.owner.empty() ? "" : " (" + file.owner + ")")},
                     {"pip install 'nvidia-cudnn-cu12<=9.10.2.21' (the last release with this GPU)"}});
            }
        }
        return;
    }
}

void same_kernel_twice(const Examination& examination, Causes& causes) {
    if (!examination.collisions.empty()) {
        causes.push_back({"CAG107",
                          Level::warning,
                          "Two of these files hold the same kernel for different architectures: when both are loaded, error 98 is possible",
                          examination.collisions,
                          {"build all libraries for the same architectures, or give each its own namespace (CUB: CUB_WRAPPED_NAMESPACE). "
                           "This is not certain: "
                           "what happens depends on how the symbols are exported"}});
    }
    for (const std::string& plan : examination.plans) {
        causes.push_back(
            {"CAG105",
             Level::warning,
             fmt::format("{} is a TensorRT engine and not a CUDA binary: it runs only on the kind of GPU it was built on", plan),
             {"a plan records the compute capability, and TensorRT refuses another one"},
             {"build it again on the target: trtexec --onnx=model.onnx --saveEngine=model.engine"}});
    }
}

} // namespace

std::string display_name(const InstalledCode& code) {
    static const std::vector<std::pair<std::string, std::string>> names{
        {"torch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"jaxlib", "JAX"}, {"onnxruntime-gpu", "ONNX Runtime"}, {"vllm", "vLLM"}};
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == lower(code.name); });
    return found == names.end() ? code.name : found->second;
}

void code_causes(const Examination& examination, Causes& causes) {
    builds_without_cuda(examination, causes);
    runtime_newer_than_the_driver(examination, causes);
    code_that_fails(examination, causes);
    cudnn_drops(examination, causes);
    claims_without_code(examination, causes);
    same_kernel_twice(examination, causes);
    code_that_is_compiled_at_load(examination, causes);
}

} // namespace cag::doctor
