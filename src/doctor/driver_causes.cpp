// Why no CUDA program runs: driver, kernel module, container, loader.
#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "doctor/causes.hpp"
#include "survey/merge.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag::doctor {
namespace {

std::string label(const MachineGpu& gpu) { return gpu.name ? gpu.name->value : "GPU " + std::to_string(gpu.index); }

std::string value_of(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// What survey already found wrong.
void survey_found(const Examination& examination, Causes& causes) {
    for (const SurveyNote& note : examination.machine.notes) {
        if (note.wrong && note.topic != "wsl") {
            causes.push_back({"CAG310", Level::error, note.message, {}, {note.fix}});
        }
    }
}

// Error 34: the toolkit's stub of libcuda is for linking only.
void stub_library(const Examination& examination, Causes& causes) {
    const std::string loader_path = value_of(examination.machine.environment, "LD_LIBRARY_PATH");
    for (const std::string_view folder : split(loader_path, ':')) {
        if (holds(std::string(folder) + "/", "/stubs/")) {
            causes.push_back({"CAG310",
                              Level::error,
                              fmt::format("The loader finds the toolkit's stub of libcuda first ({}): error 34, or 35", folder),
                              {fmt::format("LD_LIBRARY_PATH holds {}", folder)},
                              {fmt::format("take {} out of LD_LIBRARY_PATH; stubs are for linking (LIBRARY_PATH, -L)", folder)}});
            return;
        }
    }
}

// A container image that brings its own libcuda hides the one that the container runtime mounts.
void own_libcuda(const Examination& examination, Causes& causes) {
    const MachineDriver& driver = examination.machine.driver;
    for (const auto& [path, version] : driver.libraries) {
        if (version.empty() || driver.kernel_version.empty() || holds(path, "compat")) {
            continue;
        }
        if (version == driver.kernel_version) {
            return; // the loader finds this one first
        }
        const bool container = !examination.machine.surroundings.container.empty();
        causes.push_back(
            {"CAG310",
             Level::error,
             fmt::format("{} is of driver {}, the kernel module of {}: {}", path, version, driver.kernel_version,
                         container ? "this image brings its own libcuda" : "two driver installations, or an update without a reboot"),
             {fmt::format("kernel module {}", driver.kernel_version), fmt::format("{} -> {}", path, version)},
             {container ? "build the image without libnvidia-compute / libcuda1: the NVIDIA Container Toolkit mounts the host's"
                        : "reboot; if it stays, remove one of the two driver installations"}});
        return;
    }
}

void linux_driver_in_wsl(const Examination& examination, Causes& causes) {
    for (const SurveyNote& note : examination.machine.notes) {
        if (note.topic == "wsl") {
            causes.push_back({"CAG310",
                              Level::error,
                              "A Linux driver is installed inside WSL and hides the Windows driver's library",
                              {note.message},
                              {note.fix}});
        }
    }
}

// One alternative of NVIDIA_REQUIRE_CUDA: all of its conditions must hold.
bool alternative_holds(std::string_view alternative, const MachineDriver& driver) {
    for (const std::string_view condition : split(alternative, ',')) {
        const auto at = condition.find_first_of("<>=");
        const std::string_view name = condition.substr(0, at);
        std::string_view sign = condition.substr(std::min(at, condition.size()));
        const std::string_view number = sign.substr(std::min(sign.find_first_not_of("<>="), sign.size()));
        sign = sign.substr(0, sign.size() - number.size());
        double found = 0;
        double wanted = std::strtod(std::string(number).c_str(), nullptr);
        if (name == "cuda" && driver.cuda) {
            const auto version = parse_capability(number);
            wanted = version ? version->major * 100 + version->minor : wanted * 100;
            found = driver.cuda->major * 100 + driver.cuda->minor;
        } else if (name == "driver") {
            found = branch_of(driver.version).value_or(0);
        } else {
            continue; // brand and arch: not known here, taken as met
        }
        const bool met = sign == ">="   ? found >= wanted
                         : sign == "<"  ? found < wanted
                         : sign == ">"  ? found > wanted
                         : sign == "<=" ? found <= wanted
                                        : found == wanted;
        if (!met) {
            return false;
        }
    }
    return true;
}

void start_gate(const Examination& examination, Causes& causes) {
    const Environment& environment = examination.machine.environment;
    const std::string gate = value_of(environment, "NVIDIA_REQUIRE_CUDA");
    const MachineDriver& driver = examination.machine.driver;
    if (gate.empty() || !driver.cuda || !value_of(environment, "NVIDIA_DISABLE_REQUIRE").empty()) {
        return;
    }
    const auto alternatives = split(gate, ' ');
    if (std::any_of(alternatives.begin(), alternatives.end(),
                    [&](std::string_view item) { return !trimmed(item).empty() && alternative_holds(item, driver); })) {
        return;
    }
    std::vector<std::string> evidence{"NVIDIA_REQUIRE_CUDA=" + std::string(alternatives.front()),
                                      fmt::format("driver {} supports CUDA up to {}", driver.version, to_string(*driver.cuda))};
    std::vector<std::string> fixes{fmt::format("update the driver to one that meets {}", alternatives.front())};
    for (const InstalledCode& code : examination.subjects) {
        for (std::size_t i = 0; i < code.cells.size(); ++i) {
            if (code.cells[i].kind == CellKind::runs) {
                evidence.push_back(fmt::format("the code of {} would run on {} with this driver all the same", display_name(code),
                                               examination.gpus[i].label));
                fixes.emplace_back("NVIDIA_DISABLE_REQUIRE=1 lets the container start; do it knowingly");
                i = code.cells.size();
            }
        }
        if (fixes.size() > 1) {
            break;
        }
    }
    // Inside a container that runs, the gate was passed over.
    const bool started = examination.machine.recorded.empty();
    causes.push_back(
        {"CAG305", started ? Level::warning : Level::error,
         fmt::format("The container image asks for {} and {} with this driver: a gate of the image, not a missing architecture",
                     alternatives.front(), started ? "was started all the same" : "refuses to start"),
         std::move(evidence), std::move(fixes)});
}

// Error 802: boards with NVSwitch need the fabric manager.
void fabric(const Examination& examination, Causes& causes) {
    for (const MachineGpu& gpu : examination.machine.gpus) {
        for (const auto& [method, seen] : gpu.sightings) {
            if (seen.fabric == "In Progress" || seen.fabric == "Not Started") {
                const std::string version = examination.machine.driver.version;
                causes.push_back(
                    {"CAG310",
                     Level::error,
                     fmt::format("The NVLink fabric of {} is not up ({}): CUDA gives error 802. Not an architecture problem", label(gpu),
                                 seen.fabric),
                     {fmt::format("{}: fabric state \"{}\"", to_string(method), seen.fabric)},
                     {fmt::format(
                         "install nvidia-fabricmanager of exactly the driver's version{} and start it: sudo systemctl enable --now "
                         "nvidia-fabricmanager",
                         version.empty() ? "" : " (" + version + ")")}});
                return;
            }
        }
    }
}

// The driver branch does not drive the GPU, or the flavour of the kernel module does not.
void gpu_without_driver(const Examination& examination, Causes& causes) {
    const MachineDriver& driver = examination.machine.driver;
    for (const JudgedGpu& judged : examination.gpus) {
        if (examination.driver_known && !drives(judged.driver, judged.gpu)) {
            const Driver right = newest_driver_for(judged.gpu);
            const bool old = judged.gpu.capability < judged.driver.oldest_gpu;
            causes.push_back({"CAG302",
                              Level::error,
                              old ? fmt::format("Driver {} no longer drives {}: R{} is the last branch that does", judged.driver.name,
                                                judged.label, right.branch)
                                  : fmt::format("Driver {} does not know {} yet", judged.driver.name, judged.label),
                              {fmt::format("driver {} drives compute capability {} to {}", judged.driver.name,
                                           to_string(judged.driver.oldest_gpu), to_string(judged.driver.newest_gpu))},
                              {old ? fmt::format("install driver branch {}", right.branch)
                                   : fmt::format("install driver branch {} or newer", right.branch)}});
            continue;
        }
        if (!judged.machine) {
            continue;
        }
        const ComputeCapability capability = judged.gpu.capability;
        if (driver.flavour == ModuleFlavour::open && capability < ComputeCapability{7, 5}) {
            causes.push_back(
                {"CAG302",
                 Level::error,
                 fmt::format("The open kernel module does not drive {}: it begins with Turing (7.5)", judged.label),
                 {"/proc/driver/nvidia/version: Open Kernel Module " + driver.kernel_version},
                 {"install the proprietary kernel module of the same driver (nvidia-driver-NNN, not nvidia-driver-NNN-open)"}});
        } else if (driver.flavour == ModuleFlavour::proprietary && capability >= ComputeCapability{10, 0} && !judged.gpu.tegra) {
            causes.push_back({"CAG302",
                              Level::error,
                              fmt::format("{} needs the open kernel module, and the proprietary one is loaded", judged.label),
                              {"/proc/driver/nvidia/version: " + driver.kernel_version + ", proprietary"},
                              {"install the open kernel module of the same driver (nvidia-driver-NNN-open, nvidia-open)"}});
        }
    }
}

// Error 804: the compat package is for data-center GPUs and Jetson.
void compat_on_geforce(const Examination& examination, Causes& causes) {
    for (const JudgedGpu& judged : examination.gpus) {
        if (judged.driver.compat_over && judged.gpu.platform == "desktop") {
            causes.push_back(
                {"CAG310",
                 Level::error,
                 fmt::format("A forward-compatibility libcuda (cuda-compat) is first on the path, and {} does not support it: error 804",
                             judged.label),
                 {fmt::format("kernel driver {}, libcuda for CUDA {}", *judged.driver.compat_over, to_string(judged.driver.cuda))},
                 {"take the compat folder out of LD_LIBRARY_PATH and ld.so.conf, or remove the package cuda-compat-*",
                  "update the driver"}});
        }
    }
}

void other_vendor(const Examination& examination, Causes& causes) {
    for (const SurveyNote& note : examination.machine.notes) {
        if (note.topic == "emulated") {
            causes.push_back({"CAG107", Level::warning, note.message, {}, {note.fix}});
        }
    }
}

} // namespace

void driver_causes(const Examination& examination, Causes& causes) {
    stub_library(examination, causes);
    linux_driver_in_wsl(examination, causes);
    own_libcuda(examination, causes);
    start_gate(examination, causes);
    gpu_without_driver(examination, causes);
    compat_on_geforce(examination, causes);
    fabric(examination, causes);
    if (causes.empty()) { // what survey says of the same things is less exact
        survey_found(examination, causes);
    }
    other_vendor(examination, causes);
}

} // namespace cag::doctor
