// Packages and programs on GPUs: every cell of the table, and the first line about those that fail.
#include "installation.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

Answer torch_with(const std::vector<std::string>& images, const std::vector<std::string>& gpus, const std::string& driver = "580.159.04") {
    FakeRoot root;
    add_package(root, "torch", "2.8.0",
                {{"torch/lib/libtorch_cuda.so", images, ""},
                 {"torch/version.py", {}, "__version__ = '2.8.0+cu126'\ncuda: Optional[str] = '12.6'\n"}});
    return asked(root, machine_with(driver, gpus));
}

} // namespace

TEST_CASE("A framework older than the GPU: the verdict names it, the GPU, and the build to install") {
    const Answer answer = torch_with({"50", "60", "70", "75", "80", "86", "90"}, {"NVIDIA GeForce RTX 5090, 12.0"});
    CHECK(says(answer.diagnosis.verdict,
               "PyTorch 2.8.0+cu126 has no code for your NVIDIA GeForce RTX 5090 (12.0): pip install --upgrade torch "
               "--index-url https://download.pytorch.org/whl/cu128"));
    REQUIRE(answer.cause("CAG103") != nullptr);
    CHECK(says(answer.cause("CAG103")->evidence, "SASS 50 60 70 75 80 86 90; no PTX"));
    CHECK(says(answer.cause("CAG103")->fixes, "TORCH_CUDA_ARCH_LIST=\"12.0\""));
    CHECK(answer.answer("torch") == "fails");
}

TEST_CASE("A framework that dropped the GPU: an older build, never a newer one") {
    const Answer answer = torch_with({"75", "80", "86", "90", "100", "120"}, {"NVIDIA GeForce GTX 1080, 6.1"});
    CHECK(says(answer.diagnosis.verdict,
               "has no code for your NVIDIA GeForce GTX 1080 (6.1): take an older build: no newer one brings this GPU back"));
}

TEST_CASE("C67: covered minors and PTX are no defect") {
    CHECK(torch_with({"60", "70", "75", "80", "86", "90", "100", "120"}, {"NVIDIA GeForce RTX 4090, 8.9"}).answer("torch") == "runs");
    const Answer ptx = torch_with({"ptx52", "ptx80"}, {"NVIDIA GeForce RTX 4090, 8.9"});
    CHECK(ptx.answer("torch") == "jit");
    CHECK(ptx.diagnosis.causes.front().level != Level::error);
}

TEST_CASE("C69: families and Tegra, as the driver has them") {
    const Answer answer =
        torch_with({"80", "90", "100", "120"}, {"NVIDIA GB10, 12.1", "NVIDIA GB300, 10.3", "Orin (nvgpu), 8.7", "NVIDIA Thor, 11.0"});
    CHECK(answer.answer("torch", 0) == "runs");
    CHECK(answer.answer("torch", 1) == "runs");
    CHECK(answer.answer("torch", 2) == "fails");
    CHECK(answer.answer("torch", 3) == "fails");
}

TEST_CASE("C71: newer code on an older GPU fails, older PTX on a newer one runs") {
    CHECK(torch_with({"70"}, {"Quadro M1000M, 5.0"}).answer("torch") == "fails");
    CHECK(torch_with({"75", "ptx75"}, {"NVIDIA GeForce RTX 3090, 8.6"}).answer("torch") == "jit");
}

TEST_CASE("C54 and C56: code for servers on Jetson, and the other way round") {
    CHECK(torch_with({"80", "90", "120"}, {"Orin (nvgpu), 8.7"}).answer("torch") == "fails");
    CHECK(torch_with({"80", "87"}, {"Orin (nvgpu), 8.7"}).answer("torch") == "runs");
    CHECK(torch_with({"80", "ptx80"}, {"Orin (nvgpu), 8.7"}).answer("torch") == "jit");
    CHECK(torch_with({"87"}, {"NVIDIA GeForce RTX 4090, 8.9"}).answer("torch") == "fails");
    CHECK(says(torch_with({"80", "90", "120"}, {"Orin (nvgpu), 8.7"}).diagnosis.verdict, "install NVIDIA's PyTorch wheel for Jetson"));
}

TEST_CASE("C09 and C12: PTX newer than the driver, on the GPU that needs it only") {
    const Answer answer = torch_with({"80", "86", "90", "ptx75@9.2"}, {"NVIDIA T4, 7.5", "NVIDIA GeForce RTX 3090, 8.6"});
    CHECK(answer.answer("torch", 0) == "fails");
    CHECK(answer.answer("torch", 1) == "runs");
    REQUIRE(answer.cause("CAG301") != nullptr);
    CHECK(says(answer.cause("CAG301")->title, "newer than driver 580.159.04 compiles: error 222"));
    CHECK(torch_with({"80", "86", "90", "ptx75@9.2"}, {"NVIDIA T4, 7.5"}, "595.45.04").answer("torch") == "jit");
}

TEST_CASE("C79: one GPU of two fails: hide it") {
    const Answer answer = torch_with({"80", "86", "89", "90", "120"}, {"NVIDIA GeForce RTX 3060 Ti, 8.6", "NVIDIA GeForce GTX 960, 5.2"});
    CHECK(answer.answer("torch", 0) == "runs");
    CHECK(answer.answer("torch", 1) == "fails");
    CHECK(says(answer.diagnosis.verdict, "has no code for your NVIDIA GeForce GTX 960 (5.2): hide it: export CUDA_DEVICE_ORDER=PCI_BUS_ID "
                                         "CUDA_VISIBLE_DEVICES=GPU-00000001-"));
}

TEST_CASE("C77: cuDNN has dropped a GPU that PyTorch still serves") {
    FakeRoot root;
    add_package(root, "torch", "2.8.0", {{"torch/lib/libtorch_cuda.so", {"50", "60", "70", "75"}, ""}});
    add_package(root, "nvidia-cudnn-cu12", "9.13.0.50", {{"nvidia/cudnn/lib/libcudnn.so.9", {}, "no device code"}});
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA GeForce GTX 1080 Ti, 6.1"}));
    CHECK(answer.answer("torch") == "runs");
    CHECK(says(answer.diagnosis.verdict, "cuDNN 9.13 does not run on NVIDIA GeForce GTX 1080 Ti (6.1)"));
    CHECK(says(answer.diagnosis.verdict, "9.10"));
    CHECK(asked(root, machine_with("580.159.04", {"NVIDIA T4, 7.5"})).cause("CAG103") == nullptr);
}

TEST_CASE("C78: code that is compiled at every start, because its cache cannot be written") {
    const Answer answer = torch_with({"60", "70", "80", "ptx80"}, {"NVIDIA H100 PCIe, 9.0"});
    CHECK(answer.answer("torch") == "jit");
    REQUIRE(answer.cause("CAG319") != nullptr);
    CHECK(says(answer.cause("CAG319")->title, "only after compiling its PTX"));
    CHECK(says(answer.cause("CAG319")->fixes, "CUDA_CACHE_MAXSIZE"));
}

TEST_CASE("C81: the same kernel in two libraries with other architectures is worth a warning, not more") {
    FakeRoot root;
    root.file("/app/liba.so", library({"80"}, "_ZN3cub6kernelEv")).file("/app/libb.so", library({"90"}, "_ZN3cub6kernelEv"));
    DoctorOptions options;
    options.paths = {"/app/liba.so", "/app/libb.so"};
    options.gpus = {{{8, 0}, false, "", ""}};
    const Answer answer = asked(root, Machine{}, options);
    REQUIRE(answer.cause("CAG107") != nullptr);
    CHECK(answer.cause("CAG107")->level == Level::warning);
    CHECK(says(answer.cause("CAG107")->evidence, "_ZN3cub6kernelEv: sm_80 in"));
    CHECK(answer.answer("/app/liba.so") == "runs");
    CHECK(answer.answer("/app/libb.so") == "fails");
}

TEST_CASE("C51: a Triton cache of another GPU") {
    FakeRoot root;
    root.file("/home/ada/.triton/cache/abc/k.cubin", bare_cubin(90)).file("/home/ada/.triton/cache/def/k.cubin", bare_cubin(80));
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA A100-SXM4-80GB, 8.0"}));
    REQUIRE(answer.cause("CAG331") != nullptr);
    CHECK(says(answer.cause("CAG331")->title, "Triton cache /home/ada/.triton/cache: a file holds code that no GPU here can use"));
    CHECK(says(answer.cause("CAG331")->evidence, "/home/ada/.triton/cache/abc/k.cubin holds sm_90"));
    CHECK(says(answer.cause("CAG331")->fixes, "rm -r /home/ada/.triton/cache"));
}

TEST_CASE("C53: a TensorRT engine is no CUDA binary, and nothing is said to be fine") {
    FakeRoot root;
    root.file("/app/model.engine", std::string("ftrt\0\0\0\0", 8));
    DoctorOptions options;
    options.paths = {"/app/model.engine"};
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}), options);
    REQUIRE(answer.cause("CAG105") != nullptr);
    CHECK(says(answer.cause("CAG105")->title, "/app/model.engine is a TensorRT engine and not a CUDA binary"));
}

TEST_CASE("A build without CUDA, and a claim that the binaries do not hold") {
    FakeRoot root;
    add_package(root, "torch", "2.8.0+cpu",
                {{"torch/lib/libtorch_cpu.so",
                  {},
                  "\x7f"
                  "ELF"},
                 {"torch/version.py", {}, "__version__ = '2.8.0+cpu'\ncuda: Optional[str] = None\n"}});
    CHECK(
        says(asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"})).diagnosis.verdict, "PyTorch 2.8.0+cpu is a build without CUDA"));

    FakeRoot claimed;
    add_package(claimed, "xformers", "0.0.35",
                {{"xformers/_C.so", {"80", "ptx80"}, ""},
                 {"xformers/cpp_lib.json", {}, R"({"version": {"cuda": 1208}, "env": {"TORCH_CUDA_ARCH_LIST": "sm_80 sm_90"}})"}});
    const Answer answer = asked(claimed, machine_with("580.159.04", {"NVIDIA A100-SXM4-80GB, 8.0"}));
    REQUIRE(answer.cause("CAG110") != nullptr);
    CHECK(says(answer.cause("CAG110")->title, "says that it has sm_90, and its binaries do not"));
}

TEST_CASE("A module that other GPUs have and this one has not is no matter of taste; one for another kind of GPU is") {
    FakeRoot root;
    add_package(root, "ext", "1.0", {{"ext/first.so", {"80", "90"}, ""}, {"ext/second.so", {"80"}, ""}});
    const Answer gap = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(gap.answer("ext") == "few");
    CHECK(says(gap.diagnosis.verdict, "ext 1.0 has code for your NVIDIA H200 (9.0) in 1 of 2 modules only"));

    FakeRoot special;
    add_package(special, "ext", "1.0", {{"ext/first.so", {"80", "90"}, ""}, {"ext/hopper.so", {"90a"}, ""}});
    CHECK(asked(special, machine_with("580.159.04", {"NVIDIA A100-SXM4-80GB, 8.0"})).answer("ext") == "runs");
    CHECK(asked(special, machine_with("580.159.04", {"NVIDIA H200, 9.0"})).answer("ext") == "runs");

    FakeRoot only;
    add_package(only, "ext", "1.0", {{"ext/hopper.so", {"90a"}, ""}});
    CHECK(asked(only, machine_with("580.159.04", {"NVIDIA A100-SXM4-80GB, 8.0"})).answer("ext") == "fails");
}

TEST_CASE("A library with a module for each kind of GPU serves every one of them in part") {
    FakeRoot root;
    add_package(root, "kit", "1.0", {{"kit/ampere.so", {"80"}, ""}, {"kit/hopper.so", {"90"}, ""}});
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(answer.answer("kit") == "part");
    CHECK(says(answer.diagnosis.verdict, "No fault found"));
}

TEST_CASE("NVIDIA's libraries choose by GPU: modules for other generations are no defect") {
    FakeRoot root; // the shape of cuSPARSELt 0.8 on an H200: 116 of 760 modules
    std::vector<PackageFile> files{{"nvidia/a.so", {"90a"}, ""}};
    for (const char* other : {"100", "103", "120", "121", "80", "86"}) {
        files.push_back({std::string("nvidia/") + other + ".so", {other}, ""});
    }
    add_package(root, "nvidia-cusparselt-cu13", "0.8.0", files);
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(answer.answer("nvidia-cusparselt-cu13") == "part");
    CHECK(says(answer.diagnosis.verdict, "No fault found"));
}

TEST_CASE("The verdict counts as running only what was judged") {
    FakeRoot root; // special code for one GPU, which the library itself decides to load
    add_package(root, "ext", "1.0", {{"ext/a.so", {"90"}, ""}});
    add_package(root, "nvidia-special", "1.0", {{"nvidia/special.so", {"100"}, ""}});
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(answer.answer("nvidia-special") == "unknown");
    CHECK(answer.diagnosis.verdict ==
          "No fault found: 1 package with device code runs on NVIDIA H200 (9.0); 1 package loads device code by "
          "rules of its own, not judged");
}

TEST_CASE("A framework that lacks one library's modules for a GPU still runs, and the verdict says what is missing") {
    FakeRoot root; // PyTorch 2.11 on a T4: all but libtorch_cuda_linalg.so
    add_package(root, "torch", "2.11.0",
                {{"torch/lib/libtorch_cuda.so", {"75", "80"}, ""},
                 {"torch/lib/b.so", {"75", "80"}, ""},
                 {"torch/lib/c.so", {"75", "80"}, ""},
                 {"torch/lib/libtorch_cuda_linalg.so", {"80", "90"}, ""}});
    const Answer answer = asked(root, machine_with("580.159.04", {"Tesla T4, 7.5"}));
    CHECK(answer.answer("torch") == "few");
    CHECK(says(answer.diagnosis.verdict, "PyTorch 2.11.0 has code for your Tesla T4 (7.5) in 3 of 4 modules only"));
    CHECK(answer.diagnosis.causes.front().level == Level::warning);
}
