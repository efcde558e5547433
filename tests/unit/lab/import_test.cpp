// Machines as other tools write them.
#include "lab/import.hpp"
#include "lab/lab.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

std::vector<ImportedMachine> imported(const std::string& text) { return import_text(text, "test").value(); }

} // namespace

TEST_CASE("Slurm: scontrol show node, as text and as JSON") {
    const auto machines =
        imported("NodeName=n01 Arch=x86_64 CoresPerSocket=1\n   Gres=gpu:h200:8(S:0-1)\n   OS=Linux 6.1\n   Partitions=hopper,all \n\n"
                 "NodeName=n02 Arch=x86_64\n   Gres=(null)\n\nNodeName=n03 Gres=gpu:rtx_3090:2,gpu:a100:1\n");
    REQUIRE(machines.size() == 2); // n02 has no GPU
    CHECK(machines[0].name == "n01");
    CHECK(machines[0].gpus == std::map<std::string, unsigned>{{"h200", 8}});
    CHECK(machines[0].tags == std::vector<std::string>{"hopper", "all"});
    CHECK(machines[1].gpus == std::map<std::string, unsigned>{{"rtx 3090", 2}, {"a100", 1}});
    const auto json = imported(
        R"json({"nodes": [{"name": "n01", "gres": "gpu:h200:8(S:0-1)", "operating_system": "Linux", "partitions": ["hopper"]}]})json");
    REQUIRE(json.size() == 1);
    CHECK(json[0].gpus == machines[0].gpus);
}

TEST_CASE("Kubernetes: node labels of GPU feature discovery") {
    const auto machines = imported(R"({"kind": "List", "items": [
        {"metadata": {"name": "k1", "labels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": "8",
         "nvidia.com/gpu.compute.major": "9", "nvidia.com/gpu.compute.minor": "0", "nvidia.com/cuda.driver.major": "550",
         "nvidia.com/cuda.driver.minor": "54", "nvidia.com/cuda.driver.rev": "15"}}, "status": {"nodeInfo": {"osImage": "Ubuntu 22.04.4 LTS"}}},
        {"metadata": {"name": "cpu", "labels": {}}}]})");
    REQUIRE(machines.size() == 1);
    CHECK(machines[0].gpus == std::map<std::string, unsigned>{{"9.0", 8}});
    CHECK(machines[0].driver == "550.54.15");
    CHECK(machines[0].os == "Ubuntu 22.04.4 LTS");
}

TEST_CASE("Prometheus: the text of the DCGM exporter, where each GPU has many lines") {
    const std::string labels =
        R"(UUID="GPU-1",device="nvidia0",modelName="NVIDIA A100-SXM4-80GB",Hostname="n7",DCGM_FI_DRIVER_VERSION="535.104.05"})";
    const auto machines =
        imported("# HELP DCGM_FI_DEV_SM_CLOCK SM clock\nDCGM_FI_DEV_SM_CLOCK{gpu=\"0\"," + labels +
                 " 210\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\"," + labels + " 30\nDCGM_FI_DEV_GPU_TEMP{gpu=\"1\"," + labels + " 31\n");
    REQUIRE(machines.size() == 1);
    CHECK(machines[0].gpus == std::map<std::string, unsigned>{{"NVIDIA A100-SXM4-80GB", 2}});
    CHECK(machines[0].driver == "535.104.05");
}

TEST_CASE("CSV inventory") {
    const auto machines = imported("name,gpu,count,driver,os,tags\nws-1,\"RTX 4060 Ti\",1,580,Debian 12,teaching desk\n");
    REQUIRE(machines.size() == 1);
    CHECK(machines[0].gpus == std::map<std::string, unsigned>{{"RTX 4060 Ti", 1}});
    CHECK(machines[0].tags == std::vector<std::string>{"teaching", "desk"});
}

TEST_CASE("sources are merged by machine; where they differ, the first is kept and the conflict told") {
    ImportedMachine slurm{"n01", {{"h200", 8}}, "", "", {"hopper"}, "slurm.txt"};
    ImportedMachine dcgm{"n01", {{"h200", 7}}, "580.95.05", "", {}, "dcgm.txt"};
    ImportedMachine strange{"n02", {{"Voodoo 3", 1}}, "", "", {}, "list.csv"};
    const Merged merged = merge({slurm, dcgm, strange});
    REQUIRE(merged.machines.size() == 2);
    CHECK(merged.machines[0].gpus == slurm.gpus);
    CHECK(merged.machines[0].driver == "580.95.05");
    REQUIRE(merged.conflicts.size() == 2);
    CHECK(merged.conflicts[0].find("dcgm.txt says another list of GPUs than slurm.txt") != std::string::npos);
    const auto lab = parse_lab(lab_file({{merged.machines[0]}, {}}, "2026-11-30"));
    REQUIRE(lab);
    CHECK(lab->machines[0].gpus[0].count == 8);
}
