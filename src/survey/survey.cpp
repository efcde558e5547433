#include "survey/survey.hpp"

#include "compat/spec.hpp"
#include "input/text_file.hpp"
#include "survey/json.hpp"
#include "survey/merge.hpp"
#include "survey/methods.hpp"
#include "survey/recorded.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace cag {
namespace {

Surroundings surroundings_of(const Host& host) {
    Surroundings found;
    const std::string kernel = lower(read_text(host, "/proc/version").value_or(""));
    found.wsl = holds(kernel, "microsoft") || exists(host, "/dev/dxg");
    const std::string groups = read_text(host, "/proc/1/cgroup").value_or("") + read_text(host, "/proc/self/cgroup").value_or("");
    const std::string variable_of_container = variable(host, "container");
    if (!variable(host, "KUBERNETES_SERVICE_HOST").empty() || holds(groups, "kubepods")) {
        found.container = "kubernetes";
    } else if (exists(host, "/run/.containerenv") || variable_of_container == "podman") {
        found.container = "podman";
    } else if (exists(host, "/.dockerenv") || holds(groups, "docker")) {
        found.container = "docker";
    } else if (holds(groups, "/lxc/") || variable_of_container == "lxc") {
        found.container = "lxc";
    } else if (!variable_of_container.empty() || exists(host, "/singularity")) {
        found.container = variable_of_container.empty() ? "apptainer" : variable_of_container;
    }
    if (const auto model = read_text(host, "/proc/device-tree/model")) {
        found.board = trimmed(*model);
    }
    return found;
}

bool acts_on_cuda(const std::string& name) {
    static constexpr std::array<std::string_view, 6> others{
        "LD_LIBRARY_PATH", "LD_PRELOAD", "TORCH_CUDA_ARCH_LIST", "TRITON_PTXAS_PATH", "NVIDIA_VISIBLE_DEVICES", "XLA_FLAGS"};
    return name.substr(0, 5) == "CUDA_" || name == "CUDAARCHS" || name == "CUDACXX" || name == "NVIDIA_DRIVER_CAPABILITIES" ||
           name.substr(0, 15) == "NVIDIA_REQUIRE_" || name == "NVIDIA_DISABLE_REQUIRE" ||
           std::find(others.begin(), others.end(), name) != others.end();
}

// "libcuda.so.580.159.04" -> "580.159.04"; "" for a name without the version.
std::string version_in_name(const std::string& path) {
    const auto at = path.rfind(".so.");
    const std::string version = at == std::string::npos ? "" : path.substr(at + 4);
    return holds(version, ".") ? version : "";
}

// Every libcuda.so.1 that the loader could take: LD_LIBRARY_PATH first, then the usual places.
std::vector<std::pair<std::string, std::string>> driver_libraries(const Host& host) {
    std::vector<std::string> folders;
    const std::string loader_path = variable(host, "LD_LIBRARY_PATH");
    for (const std::string_view folder : split(loader_path, ':')) {
        folders.emplace_back(folder);
    }
    for (const char* folder : {"/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib/x86_64-linux-gnu",
                               "/usr/lib64", "/usr/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib",
                               "/usr/lib/aarch64-linux-gnu/tegra", "/usr/lib/aarch64-linux-gnu/nvidia", "/usr/local/cuda/compat"}) {
        folders.emplace_back(folder);
    }
    std::vector<std::pair<std::string, std::string>> found;
    std::vector<std::string> files;
    for (const std::string& folder : folders) {
        const std::string path = folder + "/libcuda.so.1";
        if (folder.empty() || !exists(host, path)) {
            continue;
        }
        const std::string file = resolved(host, path);
        if (std::find(files.begin(), files.end(), file) == files.end()) {
            files.push_back(file);
            found.emplace_back(path, version_in_name(file));
        }
    }
    return found;
}

std::optional<std::string> compat_package_of(const Machine& machine) {
    // A libcuda of a newer branch than the kernel module's, in a folder of a compat package.
    const auto kernel = branch_of(machine.driver.kernel_version);
    for (const auto& [path, version] : machine.driver.libraries) {
        const auto branch = branch_of(version);
        if (kernel && branch && *branch > *kernel && holds(path, "compat")) {
            return path;
        }
    }
    return std::nullopt;
}

} // namespace

Machine survey(const Host& host, const SurveyOptions& options) {
    Machine machine;
    machine.surroundings = surroundings_of(host);
    for (const auto& [name, value] : host.environment) {
        if (acts_on_cuda(name)) {
            machine.environment[name] = value;
        }
    }
    if (const auto version = read_text(host, "/proc/driver/nvidia/version")) {
        machine.driver.kernel_version = kernel_module_version(*version);
        machine.driver.flavour = kernel_module_flavour(*version);
    }
    machine.driver.libraries = driver_libraries(host);
    machine.answers = {ask_driver_api(host), ask_nvml(host), ask_nvidia_smi(host), ask_device_query(host),
                       ask_proc(host),       ask_pci(host),  ask_device_tree(host)};
    if (options.probe) {
        machine.answers.insert(machine.answers.begin() + 1, ask_cuda_runtime(host));
    }
    conclude(machine);
    return machine;
}

Result<Machine> recorded_machine(const std::string& path) {
    const auto text = text_of_file(path);
    if (!text) {
        return failure(text.error().code, path + ": " + text.error().message);
    }
    if (trimmed(*text).substr(0, 1) == "{") {
        const auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
        const auto inner = json.is_object() && json.contains("machine") ? json["machine"] : json;
        auto machine = machine_from_json(inner);
        if (!machine) {
            return failure(machine.error().code, path + ": " + machine.error().message);
        }
        machine->recorded = path;
        return machine;
    }
    auto answer = read_recorded(*text);
    if (!answer) {
        return failure(answer.error().code, path + ": " + answer.error().message);
    }
    Machine machine;
    machine.recorded = path;
    machine.answers.push_back(std::move(*answer));
    conclude(machine);
    return machine;
}

std::vector<std::string> gpu_specs_of(const Machine& machine) {
    std::vector<std::string> specs;
    for (const MachineGpu& gpu : machine.gpus) {
        if (!gpu.capability || gpu.emulated) {
            continue;
        }
        // The product's name says more than its number, where both mean the same.
        const auto named = gpu.name ? parse_gpu(gpu.name->value) : Result<Gpu>(failure("", ""));
        const std::string spec = named && named->capability == gpu.capability->value ? gpu.name->value : to_string(gpu.capability->value);
        if (std::find(specs.begin(), specs.end(), spec) == specs.end()) {
            specs.push_back(spec);
        }
    }
    return specs;
}

std::string driver_spec_of(const Machine& machine) {
    const MachineDriver& driver = machine.driver;
    if (driver.cuda && compat_package_of(machine)) {
        return fmt::format("{}+cuda-compat:{}", driver.kernel_version, to_string(*driver.cuda));
    }
    return !driver.version.empty() ? driver.version : driver.cuda ? "cuda:" + to_string(*driver.cuda) : "";
}

std::vector<Gpu> gpus_of(const Machine& machine) {
    std::vector<Gpu> gpus;
    for (const std::string& spec : gpu_specs_of(machine)) {
        if (const auto gpu = parse_gpu(spec)) {
            gpus.push_back(*gpu);
        }
    }
    return gpus;
}

std::optional<Driver> driver_of(const Machine& machine) {
    const std::string spec = driver_spec_of(machine);
    const auto driver = spec.empty() ? Result<Driver>(failure("", "")) : parse_driver(spec);
    return driver ? std::optional(*driver) : std::nullopt;
}

} // namespace cag
