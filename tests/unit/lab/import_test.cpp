// Machines as other tools write them.
#include "lab/drift.hpp"
#include "lab/import.hpp"
#include "lab/lab.hpp"

#include "unit/survey/machines.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

using Gpus = std::map<std::string, unsigned>;

std::vector<ImportedMachine> imported(const std::string& text) { return import_text(text, "test").value(); }

// tests/data/lab, where README.md tells how each was made.
std::vector<ImportedMachine> recorded(const std::string& name) { return import_file(CAG_TEST_DATA "/lab/" + name).value(); }

} // namespace

TEST_CASE("Slurm: scontrol show node, as text and as JSON, recorded from a real slurmctld") {
    for (const char* name : {"slurm-nodes.txt", "slurm-nodes.json"}) {
        CAPTURE(name);
        const auto machines = recorded(name);
        REQUIRE(machines.size() == 4); // cpu-01 has no GPU
        CHECK(machines[0].name == "any-gpu");
        CHECK(machines[0].gpus == Gpus{{"unknown", 2}}); // Gres=gpu:2 tells no type
        CHECK(machines[1].name == "gpu-01");
        CHECK(machines[1].gpus == Gpus{{"a100", 4}});
        CHECK(machines[1].tags == std::vector<std::string>{"ampere", "all"});
        CHECK(machines[3].name == "gpu-host");
        CHECK(machines[3].gpus == Gpus{{"h200", 6}, {"rtx 3090", 2}});
        CHECK(machines[3].os.starts_with("Linux 6.1.0"));
    }
    // the forms that this Slurm does not print
    const auto others =
        imported("NodeName=n01 Arch=x86_64\n   Gres=gpu:h200:8(S:0-1)\n   Partitions=hopper,all \n\nNodeName=n02\n Gres=(null)\n");
    REQUIRE(others.size() == 1);
    CHECK(others[0].gpus == Gpus{{"h200", 8}});
    const auto lists =
        imported(R"json({"nodes": [{"name": "n01", "gres": "gpu:h200:8(S:0-1)", "features": ["nvlink"], "partitions": ["hopper"]}]})json");
    REQUIRE(lists.size() == 1);
    CHECK(lists[0].tags == std::vector<std::string>{"nvlink", "hopper"}); // Slurm 23.02 and newer
}

TEST_CASE("Kubernetes: node labels of GPU feature discovery, new and old") {
    const auto machines = recorded("kubernetes-nodes.json");
    REQUIRE(machines.size() == 3); // control-1 has no GPU
    CHECK(machines[0].gpus == Gpus{{"9.0", 2}});
    CHECK(machines[0].driver == "580.95.05");
    CHECK(machines[0].os == "Ubuntu 22.04.5 LTS");
    CHECK(machines[1].gpus == Gpus{{"8.0", 1}}); // 28 MIG slices, of how many GPUs is not told
    CHECK(machines[2].driver == "535.183.06");   // labels from before cuda.driver-version.full
}

TEST_CASE("Prometheus: the text of the DCGM exporter, where each GPU has many lines") {
    const auto machines = recorded("dcgm-metrics.txt");
    REQUIRE(machines.size() == 2);
    CHECK(machines[0].name == "hopper-1.example.org");
    CHECK(machines[0].gpus == Gpus{{"NVIDIA H200", 2}});
    CHECK(machines[0].driver == "580.105.08");
    CHECK(machines[1].gpus == Gpus{{"NVIDIA A100-SXM4-40GB", 1}}); // two slices of one GPU
}

TEST_CASE("inventories: CSV, and what ansible-inventory prints") {
    const auto machines =
        imported("name,gpu,count,driver,os,toolkits,tags\nws-1,\"RTX 4060 Ti\",1,580,Debian 12,12.8 13.0,teaching desk\n");
    REQUIRE(machines.size() == 1);
    CHECK(machines[0].gpus == Gpus{{"RTX 4060 Ti", 1}});
    CHECK(machines[0].toolkits == std::vector<std::string>{"12.8", "13.0"});
    CHECK(machines[0].tags == std::vector<std::string>{"teaching", "desk"});
    const auto hosts = recorded("ansible-inventory.json");
    REQUIRE(hosts.size() == 3); // login-1 has no GPU
    CHECK(hosts[0].name == "hopper-1");
    CHECK(hosts[0].gpus == Gpus{{"H200", 8}});
    CHECK(hosts[0].driver == "580.95.05");
    CHECK(hosts[1].name == "ws-07");
    CHECK(hosts[1].driver == "580"); // a number in Ansible's document
    CHECK(hosts[1].tags == std::vector<std::string>{"teaching"});
}

TEST_CASE("merged: every fact keeps its source; what says the same in other words is no conflict") {
    ImportedMachine slurm{"n01", {{"h200", 8}}, "580", "Linux 6.1.0", {"13.0"}, {"hopper"}, "slurm.txt", "2026-11-01", {}};
    ImportedMachine kubernetes{"n01.example.org", {{"9.0", 8}}, "580.95.05", "Ubuntu 22.04", {"12.8", "13.0"}, {"k8s"},
                               "k.json",          "2026-11-02", {}};
    const Merged merged = merge({slurm, kubernetes});
    REQUIRE(merged.machines.size() == 1);
    CHECK(merged.conflicts.empty());
    CHECK(merged.machines[0].gpus == slurm.gpus);
    CHECK(merged.machines[0].driver == "580.95.05");
    CHECK(merged.machines[0].os == "Ubuntu 22.04");
    CHECK(merged.machines[0].tags == std::vector<std::string>{"hopper", "k8s"});
    CHECK(merged.machines[0].toolkits == std::vector<std::string>{"13.0", "12.8"});
    CHECK(lab_file(merged, "2026-11-30")
              .find("gpus: slurm.txt (2026-11-01); driver, os: k.json (2026-11-02); "
                    "toolkits, tags: slurm.txt (2026-11-01), k.json (2026-11-02)") != std::string::npos);
    const Merged typed =
        merge({{"n02", {{"unknown", 4}}, "", "", {}, {}, "slurm.txt", "", {}}, {"n02", {{"A100", 4}}, "", "", {}, {}, "list.csv", "", {}}});
    CHECK(typed.conflicts.empty());
    CHECK(typed.machines[0].gpus == Gpus{{"A100", 4}});
    CHECK(merge({{"10.0.0.1", {{"A100", 4}}, "", "", {}, {}, "a", "", {}}, {"10", {{"A100", 4}}, "", "", {}, {}, "b", "", {}}})
              .machines.size() == 2);
}

TEST_CASE("merged: where sources differ, the first is kept and the conflict told") {
    ImportedMachine slurm{"n01", {{"h200", 8}}, "", "", {}, {"hopper"}, "slurm.txt", "2026-11-01", {}};
    ImportedMachine dcgm{"n01", {{"h200", 7}}, "580.95.05", "", {}, {}, "dcgm.txt", "", {}};
    ImportedMachine strange{"n02", {{"Voodoo 3", 1}}, "", "", {}, {}, "list.csv", "", {}};
    const Merged merged = merge({slurm, dcgm, strange});
    REQUIRE(merged.machines.size() == 2);
    CHECK(merged.machines[0].gpus == slurm.gpus);
    CHECK(merged.machines[0].driver == "580.95.05");
    REQUIRE(merged.conflicts.size() == 2);
    CHECK(merged.conflicts[0].find("n01: gpus: slurm.txt (2026-11-01) says 8 h200, dcgm.txt says 7 h200; the first is kept") !=
          std::string::npos);
    const auto lab = parse_lab(lab_file({{merged.machines[0]}, {}}, "2026-11-30"));
    REQUIRE(lab);
    CHECK(lab->machines[0].gpus[0].count == 8);
}

TEST_CASE("what is installed: the system's name, and the toolkits of which the tables know something, each once") {
    test::FakeRoot root;
    root.file("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=12\n");
    const auto toolkit = [&](const std::string& release, const std::string& version) {
        root.program("/usr/local/cuda-" + release + "/bin/nvcc", "# Cuda compilation tools, release " + release + ", V" + version + "\n");
    };
    toolkit("12.8", "12.8.93");
    toolkit("13.0", "13.0.88");
    toolkit("42.0", "42.0.1");
    root.link("/usr/local/cuda", "cuda-13.0");
    ImportedMachine machine;
    add_installed(machine, root.host());
    CHECK(machine.os == "Debian GNU/Linux 12 (bookworm)");
    CHECK(machine.toolkits == std::vector<std::string>{"13.0", "12.8"});

    LabMachine declared;
    declared.toolkits = {{12, 8}};
    CHECK(drift_of_toolkits(declared, machine.toolkits).empty());
    declared.toolkits = {{12, 8}, {12, 4}};
    CHECK(drift_of_toolkits(declared, machine.toolkits) == std::vector<std::string>{"CUDA toolkit declared 12.4, found 12.8, 13.0"});
}
