// Recorded outputs of nvidia-smi and lspci.
#include "survey/recorded.hpp"

#include "survey/merge.hpp"
#include "survey/survey.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>

using namespace cag;

namespace {

Machine machine_of(const std::string& text) {
    Machine machine;
    machine.recorded = "recorded.txt";
    machine.answers.push_back(read_recorded(text).value());
    conclude(machine);
    return machine;
}

std::string capability(const Machine& machine, std::size_t gpu) {
    const auto& fact = machine.gpus.at(gpu).capability;
    return fact ? to_string(fact->value) : "unknown";
}

} // namespace

TEST_CASE("The table of nvidia-smi: names cut by its width mean what all names that begin so have in common") {
    const Machine machine = machine_of(R"(
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:1B:00.0 Off |                    0 |
| N/A   30C    P0             75W /  700W |       1MiB / 143771MiB |      0%      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 4060 ...    Off |   00000000:2B:00.0 Off |                  N/A |
|  0%   30C    P8              7W /  115W |       1MiB /   8188MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
| Processes:                                                                              |
|    0   N/A  N/A            1234      C   python                                 900MiB |
)");
    REQUIRE(machine.gpus.size() == 2);
    CHECK(machine.gpus[0].name->value == "NVIDIA H200");
    CHECK(machine.gpus[0].mig);
    CHECK(machine.gpus[0].memory->value == 143771ULL << 20U);
    CHECK(capability(machine, 0) == "9.0");
    CHECK(capability(machine, 1) == "8.9");
    CHECK(machine.driver.version == "580.159.04");
    CHECK(machine.driver.cuda == CudaVersion{13, 0});
}

TEST_CASE("nvidia-smi -q of eight GPUs whose fabric is not up") {
    std::string text = "\n==============NVSMI LOG==============\n\nDriver Version                            : 550.90.07\n"
                       "CUDA Version                              : 12.4\n\nAttached GPUs                             : 8\n";
    for (int i = 0; i < 8; ++i) {
        text += "GPU 00000000:1" + std::to_string(i) +
                ":00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n"
                "    MIG Mode\n        Current                           : Disabled\n        Pending                           : Disabled\n"
                "    GPU UUID                              : GPU-0000000" +
                std::to_string(i) +
                "-0000-0000-0000-000000000000\n"
                "    PCI\n        Device Id                         : 0x233010DE\n"
                "    Fabric\n        State                             : In Progress\n        Status                            : N/A\n"
                "    FB Memory Usage\n        Total                             : 81559 MiB\n        Used                              : 4 "
                "MiB\n"
                "    BAR1 Memory Usage\n        Total                             : 131072 MiB\n";
    }
    const Machine machine = machine_of(text);
    REQUIRE(machine.gpus.size() == 8);
    CHECK(machine.answers[0].gpus[7].fabric == "In Progress");
    CHECK(machine.gpus[7].memory->value == 81559ULL << 20U);
    CHECK(capability(machine, 7) == "9.0");
    CHECK(machine.driver.cuda == CudaVersion{12, 4});
}

TEST_CASE("nvidia-smi -x") {
    const Machine machine = machine_of(R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <driver_version>535.288.01</driver_version>
  <cuda_version>12.2</cuda_version>
  <gpu id="00000000:3B:00.0">
    <product_name>Tesla V100-SXM2-32GB</product_name>
    <mig_mode><current_mig>N/A</current_mig></mig_mode>
    <uuid>GPU-11111111-0000-0000-0000-000000000000</uuid>
    <pci><pci_device_id>1DB510DE</pci_device_id></pci>
    <fb_memory_usage><total>32768 MiB</total></fb_memory_usage>
  </gpu>
</nvidia_smi_log>
)");
    REQUIRE(machine.gpus.size() == 1);
    CHECK(capability(machine, 0) == "7.0");
    CHECK(machine.gpus[0].pci_device->value == 0x1db5);
    CHECK(machine.driver.version == "535.288.01");
}

TEST_CASE("nvidia-smi --query-gpu: [N/A] is no value, and the tables answer by name") {
    const Machine machine =
        machine_of("name, compute_cap\nNVIDIA Thor, [N/A]\nNVIDIA GeForce RTX 4060 Ti, 8.9\nNVIDIA GeForce GTX 970, [N/A]\n");
    REQUIRE(machine.gpus.size() == 3);
    CHECK(capability(machine, 0) == "11.0");
    CHECK(capability(machine, 1) == "8.9");
    CHECK(machine.gpus[1].capability->source == Method::nvidia_smi);
    CHECK(capability(machine, 2) == "5.2");
    CHECK(machine.gpus[2].capability->source == Method::table);
}

TEST_CASE("nvidia-smi -L with MIG") {
    const Machine machine = machine_of("GPU 0: NVIDIA H100 PCIe (UUID: GPU-11111111-0000-0000-0000-000000000000)\n"
                                       "  MIG 1g.10gb     Device  0: (UUID: MIG-22222222-0000-0000-0000-000000000000)\n");
    REQUIRE(machine.gpus.size() == 1);
    CHECK(machine.gpus[0].mig);
    CHECK(machine.answers[0].gpus[0].mig_devices == std::vector<std::string>{"MIG-22222222-0000-0000-0000-000000000000 1g.10gb"});
}

TEST_CASE("lspci -nnk: display controllers of NVIDIA only") {
    const Machine machine =
        machine_of("00:02.0 VGA compatible controller [0300]: Intel Corporation UHD Graphics 630 [8086:3e92]\n"
                   "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684] (rev a1)\n"
                   "\tKernel driver in use: nouveau\n"
                   "01:00.1 Audio device [0403]: NVIDIA Corporation AD102 High Definition Audio Controller [10de:22ba] (rev a1)\n"
                   "02:00.0 3D controller [0302]: NVIDIA Corporation GP104GL [Tesla P4] [10de:1bb3] (rev a1)\n");
    REQUIRE(machine.gpus.size() == 2);
    CHECK(capability(machine, 0) == "8.9");
    CHECK(machine.answers[0].gpus[0].kernel_driver == "nouveau");
    CHECK(capability(machine, 1) == "6.1");
    CHECK(machine_of("01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)\n")
              .gpus.at(0)
              .capability->value == ComputeCapability{8, 9});
    CHECK(machine_of("01:00.0 0300: 10de:2684 (rev a1)\n").gpus.at(0).pci_device->value == 0x2684);
}

TEST_CASE("What is no recording of a machine is refused") {
    CHECK_FALSE(read_recorded(""));
    CHECK_FALSE(read_recorded("hello, world\n"));
    CHECK_FALSE(read_recorded("<nvidia_smi_log>"));
}

TEST_CASE("An H200, as driver 580 printed it in five forms") {
    for (const char* name : {"nvidia-smi.txt", "nvidia-smi-q.txt", "nvidia-smi-q.xml", "nvidia-smi-query.csv", "nvidia-smi-L.txt"}) {
        std::ifstream file(std::string(CAG_RECORDED) + "/h200-" + name);
        std::ostringstream text;
        text << file.rdbuf();
        INFO(name);
        const Machine machine = machine_of(text.str());
        REQUIRE(machine.gpus.size() == 1);
        CHECK(machine.gpus[0].name->value == "NVIDIA H200");
        CHECK(capability(machine, 0) == "9.0");
        const std::string form = name;
        if (form != "nvidia-smi.txt") {
            CHECK(machine.gpus[0].uuid->value == "GPU-11111111-0000-0000-0000-000000000000");
        }
        if (form != "nvidia-smi-L.txt") {
            CHECK(machine.gpus[0].memory->value == 143771ULL << 20U);
            CHECK(machine.gpus[0].pci_bus_id->value == "0000:00:06.0");
            CHECK(machine.driver.version == "580.159.04");
            CHECK(machine.driver.cuda == CudaVersion{13, 0});
            CHECK_FALSE(machine.gpus[0].mig);
        }
    }
}

TEST_CASE("Two H200: every method says the same of both") {
    const auto machine = recorded_machine(std::string(CAG_RECORDED) + "/two-h200.json");
    REQUIRE(machine);
    REQUIRE(machine->gpus.size() == 2);
    for (const MachineGpu& gpu : machine->gpus) {
        CHECK(gpu.capability->value == ComputeCapability{9, 0});
        CHECK(gpu.pci_device->value == 0x2335);
        CHECK(gpu.sightings.size() == 5); // libcuda, NVML, nvidia-smi, /proc and the PCI bus
    }
    CHECK(machine->driver.flavour == ModuleFlavour::open);
    CHECK(machine->notes.empty());
}

TEST_CASE("A recording in which all UUIDs were made equal still has its GPUs apart") {
    const Machine machine =
        machine_of("index, name, uuid, pci.bus_id\n0, NVIDIA H200, GPU-x, 00000000:00:06.0\n1, NVIDIA H200, GPU-x, 00000000:00:07.0\n");
    CHECK(machine.gpus.size() == 2);
}
