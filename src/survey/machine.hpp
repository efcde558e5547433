// What a machine has: its GPUs as each method sees them, and its driver. Made by survey(), never changed later.
#pragma once

#include <cudaarchguard/prediction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cag {

// Independent ways to learn which GPUs a machine has, the most direct first: where two differ, the earlier one is believed.
enum class Method : std::uint8_t {
    driver_api,   // libcuda: cuDeviceGetAttribute, what a CUDA program gets
    cuda_runtime, // a small program built with the user's nvcc: cudaGetDeviceProperties
    nvml,         // libnvidia-ml, what nvidia-smi is made of
    nvidia_smi,   // the program, or its recorded output
    device_query, // __nvcc_device_query, what `nvcc -arch=native` asks
    proc,         // /proc/driver/nvidia: the kernel module
    device_tree,  // /proc/device-tree: Jetson and DRIVE boards
    pci,          // /sys/bus/pci, or a recorded lspci: works without a driver
    table,        // the built-in tables, by PCI id or by name
};

// What one method says of one GPU. Empty: it does not say.
struct Sighting {
    std::optional<unsigned> index; // in this method's own order
    std::string name;
    std::optional<ComputeCapability> capability;
    std::string uuid;                        // "GPU-..." or "MIG-..."
    std::string pci_bus_id;                  // "0000:1b:00.0"
    std::optional<std::uint16_t> pci_device; // of vendor 10de
    std::optional<std::uint64_t> memory;     // bytes
    std::optional<bool> mig;                 // MIG mode is on
    std::vector<std::string> mig_devices;    // "MIG-..." and its profile
    std::string fabric;                      // "Completed", "In Progress"; "" where there is no NVLink fabric
    std::string kernel_driver;               // pci: the kernel module bound to it
};

// What one method says of the machine.
struct MethodAnswer {
    Method method = Method::nvml;
    std::vector<Sighting> gpus;
    std::string driver_version;      // "580.159.04"
    std::optional<CudaVersion> cuda; // the newest that the driver supports
    std::string problem;             // why it has no answer, or not a whole one
    int error = 0;                   // the method's own number for the problem: CUresult, nvmlReturn_t, exit status
    bool asked = true;               // false: does not apply here, or was not asked for
};

template <class T>
struct Fact {
    T value{};
    Method source = Method::table;
};

// One GPU, with what is believed of it and who says so.
struct MachineGpu {
    unsigned index = 0; // in the order of the PCI bus
    std::optional<Fact<std::string>> name;
    std::optional<Fact<ComputeCapability>> capability;
    std::optional<Fact<std::string>> uuid;
    std::optional<Fact<std::string>> pci_bus_id;
    std::optional<Fact<std::uint16_t>> pci_device;
    std::optional<Fact<std::uint64_t>> memory;
    bool mig = false;
    bool tegra = false;
    bool emulated = false; // another vendor's GPU behind a CUDA look-alike (ZLUDA): NVIDIA's rules do not apply
    std::vector<std::pair<Method, Sighting>> sightings;
};

enum class ModuleFlavour : std::uint8_t { unknown, open, proprietary };

struct MachineDriver {
    std::string version;                                        // "580.159.04"; "" where no driver was found
    std::optional<CudaVersion> cuda;                            // the newest that it supports
    Method source = Method::table;                              // who says so
    std::string kernel_version;                                 // of the kernel module, as /proc/driver/nvidia/version has it
    ModuleFlavour flavour = ModuleFlavour::unknown;             // of the kernel module
    std::vector<std::pair<std::string, std::string>> libraries; // libcuda files found: path, version in its name
};

// Something that explains why two answers differ, or why one is missing.
struct SurveyNote {
    std::string topic;   // "order", "permission", "container", "mismatch", "wsl", "unknown-card", "capability", "missing"
    std::string message; // what was seen and which to believe
    std::string fix;     // what to do; "" where nothing is to be done
    bool wrong = false;  // a CUDA program cannot use what is there; else it is only to be known
};

struct Surroundings {
    std::string container; // "docker", "kubernetes", "podman", "lxc"; "" for none
    bool wsl = false;
    std::string board; // Tegra: the device tree's model
};

struct Machine {
    std::vector<MachineGpu> gpus;
    MachineDriver driver;
    Surroundings surroundings;
    Environment environment; // variables that act on CUDA: CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER, ...
    std::vector<MethodAnswer> answers;
    std::vector<SurveyNote> notes;
    std::string recorded; // the file that the answers were read from; "" for this machine
};

[[nodiscard]] const char* to_string(Method method);         // "driver-api"
[[nodiscard]] const char* to_string(ModuleFlavour flavour); // "open", "proprietary", "unknown"

} // namespace cag
