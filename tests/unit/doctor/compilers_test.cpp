// Toolkits, host compilers, and the compilers inside frameworks.
#include "installation.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

void add_toolkit(FakeRoot& root, const std::string& folder, const std::string& release) {
    root.program(folder + "/bin/nvcc", "exit 1\n" + tool_of(release)).program(folder + "/bin/ptxas", "exit 1\n" + tool_of(release));
}

} // namespace

TEST_CASE("C65: three different numbers, told apart") {
    FakeRoot root;
    add_toolkit(root, "/usr/local/cuda", "10.1.243");
    add_package(
        root, "torch", "2.1.2",
        {{"torch/lib/libtorch_cuda.so", {"80", "86"}, ""}, {"torch/version.py", {}, "__version__ = '2.1.2+cu121'\ncuda = '12.1'\n"}});
    const Answer answer = asked(root, machine_with("535.104.05", {"NVIDIA GeForce RTX 3090, 8.6"}));
    REQUIRE(answer.diagnosis.versions.size() == 3);
    CHECK(answer.diagnosis.versions[0].second == "535.104.05 supports CUDA up to 12.2 (what nvidia-smi shows)");
    CHECK(says(answer.diagnosis.versions[1].second, "10.1.243 at /usr/local/cuda"));
    CHECK(answer.diagnosis.versions[2].second == "2.1.2+cu121, built with CUDA 12.1");
    CHECK(answer.answer("torch") == "runs");
    REQUIRE(answer.cause("CAG325") != nullptr);
    CHECK(says(answer.cause("CAG325")->title, "Extensions of PyTorch cannot be built: nvcc is 10.1, PyTorch was built with CUDA 12.1"));
    CHECK(answer.cause("CAG325")->level == Level::warning); // what is installed runs
}

TEST_CASE("C72: Triton's own ptxas is older than the GPU, and a newer one is here") {
    FakeRoot root;
    add_toolkit(root, "/usr/local/cuda", "13.0.88");
    add_package(root, "triton", "3.4.0", {{"triton/backends/nvidia/bin/ptxas", {}, tool_of("12.8.93")}});
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA GB10, 12.1"}));
    CHECK(says(answer.diagnosis.verdict,
               "The ptxas that triton 3.4.0 brings is of CUDA 12.8 and cannot build for NVIDIA GB10 (12.1): export "
               "TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas"));
    CHECK(says(answer.cause("CAG504")->evidence, "sm_121 was first built by CUDA 12.9"));
    CHECK(asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"})).cause("CAG504") == nullptr);

    Machine told = machine_with("580.159.04", {"NVIDIA GB10, 12.1"});
    told.environment["TRITON_PTXAS_PATH"] = "/usr/local/cuda/bin/ptxas";
    CHECK(asked(root, told).cause("CAG504") == nullptr);
}

TEST_CASE("C74: XLA's ptxas newer than the driver is a warning: it works") {
    FakeRoot root;
    add_package(root, "jaxlib", "0.4.23", {});
    add_package(root, "nvidia-cuda-nvcc-cu12", "12.3.107", {{"nvidia/cuda_nvcc/bin/ptxas", {}, tool_of("12.3.107")}});
    const Answer answer = asked(root, machine_with("535.104.05", {"NVIDIA A100-SXM4-80GB, 8.0"}));
    REQUIRE(answer.cause("CAG305") != nullptr);
    CHECK(answer.cause("CAG305")->level == Level::warning);
    CHECK(says(answer.cause("CAG305")->title, "ptxas 12.3 is newer than the driver's CUDA 12.2; it works"));
    CHECK(says(answer.diagnosis.verdict, "No fault found"));
}

TEST_CASE("C11: numba writes PTX that the driver does not read") {
    FakeRoot root;
    add_package(root, "numba-cuda", "0.4.0", {});
    add_package(root, "nvidia-cuda-nvcc-cu12", "12.8.61", {});
    const Answer answer = asked(root, machine_with("550.90.07", {"NVIDIA A40, 8.6"}));
    CHECK(says(answer.diagnosis.verdict, "writes PTX 8.7, and driver 550.90.07 reads up to 8.4: error 222. Not an architecture problem"));
    REQUIRE(answer.cause("CAG301") != nullptr);
    CHECK(answer.cause("CAG301")->fixes.size() == 3);
    CHECK(answer.cause("CAG301")->fixes[0] == "pip install 'nvidia-cuda-nvcc-cu12<=12.4.*'");
    CHECK(says(answer.cause("CAG301")->fixes[1], "R570"));
    CHECK(asked(root, machine_with("570.86.10", {"NVIDIA A40, 8.6"})).cause("CAG301") == nullptr);
}

TEST_CASE("C86: NVRTC without the builtins of its own minor version") {
    FakeRoot root;
    add_package(root, "nvidia-cuda-nvrtc-cu12", "12.8.93", {{"nvidia/cuda_nvrtc/lib/libnvrtc.so.12", {}, "x"}});
    root.file("/usr/local/lib/libnvrtc-builtins.so.12.0", "x");
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(says(answer.diagnosis.verdict, "NVRTC 12.8 at /opt/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib needs "
                                         "libnvrtc-builtins.so.12.8; found only 12.0 at /usr/local/lib"));
    root.file(std::string(site) + "/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.8", "x");
    add_package(root, "nvidia-cuda-nvrtc-cu12", "12.8.93",
                {{"nvidia/cuda_nvrtc/lib/libnvrtc.so.12", {}, "x"}, {"nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.8", {}, "x"}});
    CHECK(asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"})).cause("CAG325") == nullptr);
}

TEST_CASE("A list of architectures in the environment that the toolkit cannot build") {
    for (const auto& [version, refused] :
         {std::pair{"11.7.99", "names 9.0, for which nvcc 11.7"}, {"13.0.88", "names 5.2, 6.0, 6.1, 7.0, for which nvcc 13.0"}}) {
        FakeRoot root;
        add_toolkit(root, "/usr/local/cuda", version);
        Machine machine = machine_with("580.159.04", {"NVIDIA A100, 8.0"});
        machine.environment["TORCH_CUDA_ARCH_LIST"] = "5.2 6.0 6.1 7.0 7.5 8.0 8.6 9.0+PTX";
        const Answer answer = asked(root, machine);
        REQUIRE(answer.cause("CAG504") != nullptr);
        CHECK(says(answer.cause("CAG504")->title, "of the environment " + std::string(refused)));
    }
}

TEST_CASE("A toolkit that cannot build for the GPU, beside one that can; a host compiler that is too new") {
    FakeRoot root;
    add_toolkit(root, "/usr/local/cuda", "11.8.89");
    add_toolkit(root, "/usr/local/cuda-13.0", "13.0.88");
    root.program("/usr/bin/gcc-13", "exit 1\n").link("/usr/bin/gcc", "gcc-13");
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA GeForce RTX 5090, 12.0"}));
    REQUIRE(answer.cause("CAG504") != nullptr);
    CHECK(says(answer.cause("CAG504")->title, "nvcc 11.8 cannot build for NVIDIA GeForce RTX 5090 (12.0)"));
    CHECK(says(answer.cause("CAG504")->fixes, "export CUDACXX=/usr/local/cuda-13.0/bin/nvcc"));
    REQUIRE(answer.cause("CAG325") != nullptr);
    CHECK(says(answer.cause("CAG325")->title, "nvcc 11.8 refuses gcc 13: it takes up to 11"));
}
