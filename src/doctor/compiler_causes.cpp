// Compilers: nvcc for building, and the ones that frameworks bring to compile while they run.
#include "arch/spec.hpp"
#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "doctor/causes.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag::doctor {
namespace {

// The newest known toolkit that is not newer than this one.
const data::Toolkit* row_of(CudaVersion version) {
    const data::Toolkit* row = nullptr;
    for (const data::Toolkit& toolkit : data::toolkits()) {
        if (toolkit.release <= version) {
            row = &toolkit;
        }
    }
    return row;
}

// Code for a GPU comes from its own target, or from a lower minor of its major.
bool builds_for(const data::Toolkit& toolkit, const Gpu& gpu) {
    return std::any_of(toolkit.real.begin(), toolkit.real.end(), [&](Arch arch) {
        return arch.variant == Variant::plain && arch.major == gpu.capability.major &&
               (gpu.tegra ? arch.minor == gpu.capability.minor : arch.minor <= gpu.capability.minor);
    });
}

bool names_exactly(const data::Toolkit& toolkit, const Gpu& gpu) {
    const Arch exact{gpu.capability.major, gpu.capability.minor, Variant::plain};
    return std::find(toolkit.real.begin(), toolkit.real.end(), exact) != toolkit.real.end();
}

std::string range_of(const data::Toolkit& toolkit) {
    return fmt::format("{} to {}", to_string(toolkit.real.front().capability()), to_string(toolkit.real.back().capability()));
}

std::string first_with(const Gpu& gpu) {
    const auto range = data::toolkits_building({gpu.capability.major, gpu.capability.minor, Variant::plain});
    return range ? to_string(range->first) : "";
}

// "12.8 or newer", "9.0 to 12.9"
std::string releases_with(const Gpu& gpu) {
    const auto range = data::toolkits_building({gpu.capability.major, gpu.capability.minor, Variant::plain});
    if (!range) {
        return "that is newer than the tables";
    }
    const bool goes_on = range->last == data::toolkits().back().release;
    return to_string(range->first) + (goes_on ? " or newer" : " to " + to_string(range->last));
}

void toolkit_for_the_gpu(const Examination& examination, Causes& causes) {
    if (examination.inventory.toolkits.empty()) {
        return;
    }
    const Toolkit& first = examination.inventory.toolkits.front();
    const data::Toolkit* row = first.version ? row_of(*first.version) : nullptr;
    for (const JudgedGpu& gpu : examination.gpus) {
        if (row == nullptr || builds_for(*row, gpu.gpu)) {
            continue;
        }
        std::vector<std::string> fixes;
        for (const Toolkit& other : examination.inventory.toolkits) {
            const data::Toolkit* other_row = other.version ? row_of(*other.version) : nullptr;
            if (other_row != nullptr && builds_for(*other_row, gpu.gpu)) {
                fixes.push_back(fmt::format("export CUDACXX={} (CUDA {}, found here)", other.nvcc, other.full_version));
            }
        }
        fixes.push_back("install a toolkit that builds for it: CUDA " + releases_with(gpu.gpu));
        causes.push_back({"CAG504",
                          Level::warning,
                          fmt::format("nvcc {} cannot build for {}", to_string(*first.version), gpu.label),
                          {fmt::format("{} builds for {}", first.nvcc, range_of(*row))},
                          std::move(fixes)});
    }
}

// A list in the environment, often a base image's, against the toolkit that is used by itself.
void list_for_another_toolkit(const Examination& examination, Causes& causes) {
    if (examination.inventory.toolkits.empty() || !examination.inventory.toolkits.front().version) {
        return;
    }
    const CudaVersion toolkit = *examination.inventory.toolkits.front().version;
    for (const char* name : {"TORCH_CUDA_ARCH_LIST", "CUDAARCHS"}) {
        const auto& environment = examination.machine.environment;
        const auto value = environment.find(name);
        const auto list = value == environment.end() ? Result<ArchList>(ArchList()) : parse_arch_list(value->second);
        std::vector<std::string> refused;
        for (const Target& target : list.value_or(ArchList()).targets) {
            const auto range = data::toolkits_building(target.arch);
            const std::string capability = to_string(target.arch.capability());
            if (range && (toolkit < range->first || range->last < toolkit) && (refused.empty() || refused.back() != capability)) {
                refused.push_back(capability);
            }
        }
        if (!refused.empty()) {
            causes.push_back({"CAG504",
                              Level::warning,
                              fmt::format("{}=\"{}\" of the environment names {}, for which nvcc {} cannot build", name, value->second,
                                          fmt::join(refused, ", "), to_string(toolkit)),
                              {},
                              {fmt::format("unset {}, or export a list without them", name)}});
        }
    }
}

void host_compiler(const Examination& examination, Causes& causes) {
    if (examination.inventory.toolkits.empty() || examination.inventory.compilers.empty()) {
        return;
    }
    const Toolkit& toolkit = examination.inventory.toolkits.front();
    const HostCompiler& compiler = examination.inventory.compilers.front();
    const data::Toolkit* row = toolkit.version ? row_of(*toolkit.version) : nullptr;
    const unsigned limit = row == nullptr ? 0 : compiler.name == "clang" ? row->clang_max : row->gcc_max;
    if (limit > 0 && compiler.major > limit && row->release == *toolkit.version) {
        causes.push_back(
            {"CAG325",
             Level::warning,
             fmt::format("nvcc {} refuses {} {}: it takes up to {}", to_string(*toolkit.version), compiler.name, compiler.major, limit),
             {fmt::format("{} by {}", compiler.path, compiler.chosen_by)},
             {fmt::format("sudo apt-get install g++-{0}; nvcc -ccbin g++-{0} (CMake: -DCMAKE_CUDA_HOST_COMPILER=g++-{0})", limit)}});
    }
}

std::optional<CudaVersion> cuda_of(const InstalledCode& code) {
    const auto version = parse_capability(code.cuda);
    return version ? std::optional(CudaVersion{version->major, version->minor}) : std::nullopt;
}

// Building an extension of PyTorch needs an nvcc of the major version that PyTorch was built with.
void extension_builds(const Examination& examination, Causes& causes) {
    if (examination.inventory.toolkits.empty() || !examination.inventory.toolkits.front().version) {
        return;
    }
    const Toolkit& toolkit = examination.inventory.toolkits.front();
    for (const InstalledCode& code : examination.subjects) {
        const auto cuda = lower(code.name) == "torch" ? cuda_of(code) : std::nullopt;
        if (cuda && cuda->major != toolkit.version->major) {
            causes.push_back(
                {"CAG325",
                 Level::warning,
                 fmt::format("Extensions of PyTorch cannot be built: nvcc is {}, PyTorch was built with CUDA {}",
                             to_string(*toolkit.version), to_string(*cuda)),
                 {fmt::format("nvcc in use: {} ({})", toolkit.nvcc, toolkit.full_version), "running what is installed is not affected"},
                 {fmt::format("install the CUDA {} toolkit and set CUDA_HOME to it; the driver stays as it is", to_string(*cuda))}});
        }
    }
}

// ptxas inside Triton, TensorFlow, JAX: must know the GPU.
void bundled_ptxas(const Examination& examination, Causes& causes) {
    const auto chosen = examination.machine.environment.find("TRITON_PTXAS_PATH");
    for (const CudaFile& file : examination.inventory.files) {
        const data::Toolkit* row = file.kind == "ptxas" && file.version && !file.owner.empty() ? row_of(*file.version) : nullptr;
        const bool triton = holds(file.owner, "triton");
        const bool blackwell = holds(file.path, "ptxas-blackwell"); // beside one that is older, for Blackwell alone
        if (row == nullptr || (triton && chosen != examination.machine.environment.end())) {
            continue;
        }
        for (const JudgedGpu& gpu : examination.gpus) {
            const bool serves = triton ? names_exactly(*row, gpu.gpu) : builds_for(*row, gpu.gpu);
            const bool has_own =
                !blackwell && gpu.gpu.capability >= ComputeCapability{10, 0} &&
                std::any_of(examination.inventory.files.begin(), examination.inventory.files.end(),
                            [&](const CudaFile& other) { return other.owner == file.owner && holds(other.path, "ptxas-blackwell"); });
            if (serves || has_own || (blackwell && gpu.gpu.capability < ComputeCapability{10, 0})) {
                continue;
            }
            std::vector<std::string> fixes;
            for (const CudaFile& other : examination.inventory.files) {
                const data::Toolkit* other_row =
                    other.kind == "ptxas" && other.version && other.owner.empty() ? row_of(*other.version) : nullptr;
                if (other_row != nullptr && names_exactly(*other_row, gpu.gpu)) {
                    fixes.push_back(
                        fmt::format("export {}={}", triton ? "TRITON_PTXAS_PATH" : "XLA_FLAGS=--xla_gpu_cuda_data_dir", other.path));
                    break;
                }
            }
            fixes.push_back(
                fmt::format("upgrade {}, or install CUDA {} or newer", file.owner.substr(0, file.owner.find(' ')), first_with(gpu.gpu)));
            causes.push_back({"CAG504",
                              Level::error,
                              fmt::format("The ptxas that {} brings is of CUDA {} and cannot build for {}", file.owner,
                                          to_string(*file.version), gpu.label),
                              {fmt::format("{} ({}), which builds for {}", file.path, to_string(*file.version), range_of(*row)),
                               fmt::format("sm_{} was first built by CUDA {}",
                                           Arch{gpu.gpu.capability.major, gpu.gpu.capability.minor}.number(), first_with(gpu.gpu))},
                              std::move(fixes)});
        }
    }
}

// A compiler of device code that is newer than the driver. ptxas makes cubins, which minor versions share; NVVM and NVRTC make PTX, which
// the driver must read.
void newer_than_the_driver(const Examination& examination, Causes& causes) {
    if (!examination.driver_known || examination.gpus.empty()) {
        return;
    }
    const Driver& driver = examination.gpus.front().driver;
    for (const PythonEnvironment& python : examination.inventory.pythons) {
        const PythonPackage* numba =
            find_package(python, "numba-cuda") ? find_package(python, "numba-cuda") : find_package(python, "numba");
        for (const PythonPackage& package : python.packages) {
            const std::string name = lower(package.name);
            const bool compiler = name.substr(0, 16) == "nvidia-cuda-nvcc" || name.substr(0, 11) == "nvidia-nvvm" || name == "cuda-nvvm";
            const auto version = compiler ? release_in(package.version) : std::nullopt;
            const data::Toolkit* row = version ? row_of(*version) : nullptr;
            if (numba != nullptr && row != nullptr && row->ptx_isa > driver.max_ptx) {
                std::string floor;
                for (const data::PtxVersion& isa : data::ptx_versions()) {
                    floor = isa.isa == row->ptx_isa ? std::to_string(isa.driver_branch) : floor;
                }
                causes.push_back(
                    {"CAG301",
                     Level::error,
                     fmt::format("{} {} writes PTX {}, and driver {} reads up to {}: error 222. Not an architecture problem", package.name,
                                 package.version, to_string(row->ptx_isa), driver.name, to_string(driver.max_ptx)),
                     {fmt::format("{} {} compiles through NVVM of CUDA {}", numba->name, numba->version, to_string(*version)),
                      fmt::format("driver {} supports CUDA up to {}", driver.name, to_string(driver.cuda))},
                     {fmt::format("pip install '{}<={}.*'", package.name, to_string(driver.cuda)),
                      fmt::format("update the driver to R{} or newer", floor),
                      "let numba-cuda link with nvJitLink (pynvjitlink, NUMBA_CUDA_ENABLE_PYNVJITLINK=1): cubins cross minor versions"}});
            }
        }
        // XLA only loses parallel compilation.
        const PythonPackage* jax = find_package(python, "jaxlib") ? find_package(python, "jaxlib") : find_package(python, "tensorflow");
        for (const CudaFile& file : examination.inventory.files) {
            const bool xla = jax != nullptr && file.kind == "ptxas" && file.version &&
                             (holds(file.owner, "nvcc") || holds(file.owner, "jax") || holds(file.owner, "tensorflow"));
            if (xla && file.version->major == driver.cuda.major && *file.version > driver.cuda) {
                causes.push_back(
                    {"CAG305",
                     Level::warning,
                     fmt::format("{} {}: ptxas {} is newer than the driver's CUDA {}; it works, and XLA compiles one kernel at a time",
                                 jax->name, jax->version, to_string(*file.version), to_string(driver.cuda)),
                     {file.path + " (" + file.owner + ")", "cubins run across minor versions of one major"},
                     {fmt::format("update the driver to one of CUDA {}, or pin {} to {}", to_string(*file.version),
                                  file.owner.substr(0, file.owner.find(' ')), to_string(driver.cuda))}});
            }
        }
    }
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

// libnvrtc loads a builtins library of exactly its own minor version.
void nvrtc_builtins(const Examination& examination, Causes& causes) {
    const auto& files = examination.inventory.files;
    for (const CudaFile& nvrtc : files) {
        if (nvrtc.kind != "nvrtc" || !nvrtc.version) {
            continue;
        }
        const auto fits = [&](const CudaFile& other) { return other.kind == "nvrtc-builtins" && other.version == nvrtc.version; };
        if (std::any_of(files.begin(), files.end(), fits)) {
            continue;
        }
        const std::string version = to_string(*nvrtc.version);
        const auto other = std::find_if(files.begin(), files.end(), [](const CudaFile& file) { return file.kind == "nvrtc-builtins"; });
        const std::string found = other == files.end() || !other->version
                                      ? "found none"
                                      : fmt::format("found only {} at {}", to_string(*other->version), folder_of(other->path));
        causes.push_back(
            {"CAG325",
             Level::error,
             fmt::format("NVRTC {} at {} needs libnvrtc-builtins.so.{}; {}", version, folder_of(nvrtc.path), version, found),
             {"kernels compiled while the program runs fail; precompiled ones work. Neither the architecture nor the driver is the reason"},
             {fmt::format("install the NVRTC of CUDA {} whole (pip install 'nvidia-cuda-nvrtc-cu{}=={}.*'); do not rename files", version,
                          nvrtc.version->major, version)}});
    }
}

} // namespace

void compiler_causes(const Examination& examination, Causes& causes) {
    bundled_ptxas(examination, causes);
    newer_than_the_driver(examination, causes);
    nvrtc_builtins(examination, causes);
    toolkit_for_the_gpu(examination, causes);
    list_for_another_toolkit(examination, causes);
    host_compiler(examination, causes);
    extension_builds(examination, causes);
}

} // namespace cag::doctor
