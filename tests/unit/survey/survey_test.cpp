// Machines of every kind, without a GPU: what survey says of them.
#include "survey/survey.hpp"

#include "machines.hpp"
#include "survey/json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace cag;
using cag::test::FakeRoot;

namespace {

constexpr const char* h200 = "gpu=NVIDIA H200,9,0,2335,1b,11111111\n";
constexpr const char* rtx_3090 = "gpu=NVIDIA GeForce RTX 3090,8,6,2204,2b,33333333\n";

const MethodAnswer& answer(const Machine& machine, Method method) {
    return *std::find_if(machine.answers.begin(), machine.answers.end(), [&](const MethodAnswer& item) { return item.method == method; });
}

// The messages of a topic, joined.
std::string notes(const Machine& machine, const std::string& topic) {
    std::string text;
    for (const SurveyNote& note : machine.notes) {
        text += note.topic == topic ? note.message + "\n" : "";
    }
    return text;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("A machine without a GPU: no GPU, and nothing is wrong") {
    const FakeRoot root;
    const Machine machine = survey(root.host());
    CHECK(machine.gpus.empty());
    CHECK(machine.notes.empty());
    CHECK(driver_spec_of(machine).empty());
}

TEST_CASE("One GPU: all methods agree, and the most direct one is believed") {
    FakeRoot root;
    root.card("0000:1b:00.0", "2335", "nvidia").kernel_module("580.159.04");
    root.file("/proc/driver/nvidia/gpus/0000:1b:00.0/information",
              "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-11111111-0000-0000-0000-000000000000\nBus Location: \t 0000:1b:00.0\nDevice "
              "Minor: \t 0\n");
    root.program("/usr/bin/nvidia-smi",
                 "echo 'index, name, compute_cap, uuid, pci.bus_id, pci.device_id, memory.total [MiB], driver_version, mig.mode.current'\n"
                 "echo '0, NVIDIA H200, 9.0, GPU-11111111-0000-0000-0000-000000000000, 00000000:1B:00.0, 0x233510DE, 143771, 580.159.04, "
                 "Disabled'\n");
    const Machine machine = survey(root.live_host(h200));
    REQUIRE(machine.gpus.size() == 1);
    const MachineGpu& gpu = machine.gpus.front();
    CHECK(gpu.name->value == "NVIDIA H200");
    CHECK(gpu.capability->value == ComputeCapability{9, 0});
    CHECK(gpu.capability->source == Method::driver_api);
    CHECK(gpu.uuid->value == "GPU-11111111-0000-0000-0000-000000000000");
    CHECK(gpu.pci_bus_id->value == "0000:1b:00.0");
    CHECK(gpu.pci_device->value == 0x2335);
    CHECK(gpu.sightings.size() == 5); // libcuda, NVML, nvidia-smi, /proc, PCI
    CHECK(machine.driver.version == "580.159.04");
    CHECK(machine.driver.cuda == CudaVersion{13, 0});
    CHECK(machine.driver.flavour == ModuleFlavour::open);
    CHECK(machine.notes.empty());
    CHECK(gpu_specs_of(machine) == std::vector<std::string>{"NVIDIA H200"});
    CHECK(driver_spec_of(machine) == "580.159.04");
}

TEST_CASE("Two GPUs that CUDA counts the other way round") {
    const FakeRoot root;
    const Machine machine = survey(root.live_host(std::string(rtx_3090) + h200 + "order=1,0"));
    REQUIRE(machine.gpus.size() == 2);
    CHECK(machine.gpus[0].name->value == "NVIDIA H200"); // bus 1b before 2b
    CHECK(answer(machine, Method::nvml).gpus[0].name == "NVIDIA GeForce RTX 3090");
    CHECK(notes(machine, "order").empty()); // libcuda: H200, 3090, as on the bus

    const Machine swapped = survey(root.live_host(std::string(h200) + rtx_3090 + "order=1,0"));
    CHECK(says(notes(swapped, "order"), "devices 0, 1, ... are nvidia-smi's 1, 0"));
    CHECK(says(notes(swapped, "order"), "FASTEST_FIRST"));
}

TEST_CASE("A GPU that CUDA_VISIBLE_DEVICES hides is still listed") {
    const FakeRoot root;
    Host host = root.live_host(std::string(h200) + rtx_3090);
    host.environment["CUDA_VISIBLE_DEVICES"] = "0";
    const Machine machine = survey(host);
    CHECK(machine.gpus.size() == 2);
    CHECK(says(notes(machine, "visibility"), "leaves 1 of 2 GPUs"));
}

TEST_CASE("A divided GPU keeps its compute capability") {
    const FakeRoot root;
    const Machine machine = survey(root.live_host("gpu=NVIDIA H100,9,0,2330,1b,11111111\nmig=0\n"));
    REQUIRE(machine.gpus.size() == 1);
    CHECK(machine.gpus[0].mig);
    CHECK(answer(machine, Method::nvml).gpus[0].mig_devices ==
          std::vector<std::string>{"MIG-22222222-0000-0000-0000-000000000000 NVIDIA H100 MIG 1g.10gb"});
    CHECK(says(notes(machine, "mig"), "compute capability"));
}

TEST_CASE("Sixteen GPUs are put in the order of the bus") {
    const FakeRoot root;
    std::string text;
    for (int i = 15; i >= 0; --i) {
        const std::string digit(1, "0123456789abcdef"[i]);
        text += "gpu=NVIDIA A100-SXM4-80GB,8,0,20b2,1" + digit + ",0000000" + digit + "\n";
    }
    const Machine machine = survey(root.live_host(text));
    REQUIRE(machine.gpus.size() == 16);
    CHECK(machine.gpus[0].pci_bus_id->value == "0000:10:00.0");
    CHECK(machine.gpus[15].pci_bus_id->value == "0000:1f:00.0");
    CHECK(gpu_specs_of(machine).size() == 1);
}

TEST_CASE("Without a driver, the PCI bus and the tables answer") {
    FakeRoot root;
    root.card("0000:01:00.0", "2684").file("/sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");
    root.file("/sys/bus/pci/devices/0000:01:00.1/device", "0x22ba\n").file("/sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
    const Machine machine = survey(root.host());
    REQUIRE(machine.gpus.size() == 1); // the card's audio function is no GPU
    CHECK(machine.gpus[0].capability->value == ComputeCapability{8, 9});
    CHECK(machine.gpus[0].capability->source == Method::table);
    CHECK(says(notes(machine, "missing"), "no NVIDIA kernel module is loaded"));
}

TEST_CASE("A container that was started without the GPU") {
    FakeRoot root;
    root.card("0000:01:00.0", "2684", "nvidia").file("/.dockerenv", "").kernel_module("580.159.04");
    const Machine machine = survey(root.host());
    CHECK(machine.surroundings.container == "docker");
    CHECK(says(notes(machine, "container"), "this docker container was started without it"));
}

TEST_CASE("A card that no table knows") {
    FakeRoot root;
    root.card("0000:01:00.0", "fffe");
    const Machine unknown = survey(root.host());
    REQUIRE(unknown.gpus.size() == 1);
    CHECK_FALSE(unknown.gpus[0].capability);
    CHECK(says(notes(unknown, "unknown-card"), "10de:fffe"));
    CHECK(gpu_specs_of(unknown).empty());

    const Machine measured = survey(root.live_host("gpu=NVIDIA Something New,13,0,fffe,01,11111111\n"));
    CHECK(measured.gpus[0].capability->value == ComputeCapability{13, 0});
    CHECK(says(notes(measured, "unknown-card"), "newer than the tables"));
}

TEST_CASE("Where the table and the GPU differ, the GPU is believed") {
    const FakeRoot root;
    const Machine machine = survey(root.live_host("gpu=NVIDIA GeForce RTX 4090,9,0,2684,01,11111111\n"));
    CHECK(machine.gpus[0].capability->value == ComputeCapability{9, 0});
    CHECK(says(notes(machine, "capability"), "the table of PCI ids says 8.9"));
}

TEST_CASE("Library and kernel module of different versions") {
    FakeRoot root;
    root.card("0000:1b:00.0", "2335", "nvidia").kernel_module("570.86.10");
    root.program("/usr/bin/nvidia-smi", "echo 'Failed to initialize NVML: Driver/library version mismatch'\nexit 18\n");
    const Machine machine = survey(root.live_host("nvml=18\ncuda=803\n"));
    CHECK(says(notes(machine, "mismatch"), "570.86.10"));
    CHECK(answer(machine, Method::nvidia_smi).error == 18);
    CHECK(answer(machine, Method::driver_api).problem.find("cudaErrorSystemDriverMismatch") != std::string::npos);
    CHECK(machine.gpus.size() == 1); // by the PCI bus
}

TEST_CASE("A library that crashes does not take the survey with it") {
    const FakeRoot root;
    const Machine machine = survey(root.live_host("crash=1\n"));
    CHECK(says(answer(machine, Method::nvml).problem, "crashed with signal 9"));
    CHECK(machine.gpus.empty());
}

TEST_CASE("An nvidia-smi that does not know compute_cap is asked again without it") {
    FakeRoot root;
    root.program("/usr/bin/nvidia-smi",
                 "case $1 in *compute_cap*) echo 'Field \"compute_cap\" is not a valid field to query.'; exit 2;; esac\n"
                 "echo 'index, name, uuid, pci.bus_id, pci.device_id, memory.total [MiB], driver_version'\n"
                 "echo '0, GeForce GTX 970, GPU-11111111-0000-0000-0000-000000000000, 00000000:01:00.0, 0x13C210DE, 4096, 470.256.02'\n");
    const Machine machine = survey(root.live_host("nvml=9\ncuda=100\n"));
    REQUIRE(machine.gpus.size() == 1);
    CHECK(machine.gpus[0].capability->value == ComputeCapability{5, 2});
    CHECK(machine.gpus[0].capability->source == Method::table);
    CHECK(machine.driver.version == "470.256.02");
}

TEST_CASE("Jetson boards are known by their device tree") {
    FakeRoot root;
    root.file("/proc/device-tree/compatible", std::string("nvidia,p3737-0000+p3701-0005") + '\0' + "nvidia,tegra234" + '\0');
    root.file("/proc/device-tree/model", std::string("NVIDIA Jetson AGX Orin Developer Kit") + '\0');
    const Machine machine = survey(root.host());
    REQUIRE(machine.gpus.size() == 1);
    CHECK(machine.gpus[0].capability->value == ComputeCapability{8, 7});
    CHECK(machine.gpus[0].tegra);
    CHECK(machine.gpus[0].name->value == "NVIDIA Jetson AGX Orin Developer Kit");
}

TEST_CASE("WSL with a Linux driver's library in front of the Windows driver's") {
    FakeRoot root;
    root.file("/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n").file("/usr/lib/wsl/lib/libcuda.so.1", "");
    root.file("/usr/lib/x86_64-linux-gnu/libcuda.so.510.108.03", "")
        .link("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.510.108.03");
    const Machine machine = survey(root.host());
    CHECK(machine.surroundings.wsl);
    CHECK(says(notes(machine, "wsl"), "/usr/lib/x86_64-linux-gnu/libcuda.so.1 is a Linux driver's library"));
}

TEST_CASE("An emulated device is never taken for an NVIDIA GPU") {
    const FakeRoot root;
    const Machine machine = survey(root.live_host("gpu=AMD Radeon RX 7900 XTX [ZLUDA],8,8,744c,03,11111111\nnvml=12\n"));
    REQUIRE(machine.gpus.size() == 1);
    CHECK(machine.gpus[0].emulated);
    CHECK(gpus_of(machine).empty());
    CHECK(says(notes(machine, "emulated"), "ZLUDA"));
}

TEST_CASE("A compat package over an older kernel module is the driver's name") {
    FakeRoot root;
    root.kernel_module("535.54.03").file("/usr/local/cuda/compat/libcuda.so.580.65.06", "");
    root.link("/usr/local/cuda/compat/libcuda.so.1", "libcuda.so.580.65.06");
    Host host = root.live_host(std::string(h200) + "driver=535.54.03\n");
    host.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/compat";
    const Machine machine = survey(host);
    CHECK(driver_spec_of(machine) == "535.54.03+cuda-compat:13.0");
    REQUIRE(driver_of(machine));
    CHECK(driver_of(machine)->compat_over == 535U);
}

TEST_CASE("A machine is the same after its JSON was read back") {
    FakeRoot root;
    root.card("0000:1b:00.0", "2335", "nvidia").kernel_module("580.159.04");
    const Machine machine = survey(root.live_host(std::string(h200) + rtx_3090 + "order=1,0\nmig=1\n"));
    const auto json = to_json(machine);
    const auto again = machine_from_json(json);
    REQUIRE(again);
    CHECK(to_json(*again) == json);
    CHECK_FALSE(machine_from_json(nlohmann::ordered_json{{"methods", 3}}));
}
