// Public failures of driver, container and loader: the first line says what it is, and that it is no matter of architectures.
#include "installation.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

constexpr const char* h100 = "gpu=NVIDIA H100 80GB HBM3,9,0,2330,1b,11111111\n";

} // namespace

TEST_CASE("A machine where everything fits is healthy") {
    FakeRoot root;
    add_package(root, "torch", "2.11.0", {{"torch/lib/libtorch_cuda.so", {"80", "90"}, ""}});
    const Answer answer = asked(root, machine_with("580.159.04", {"NVIDIA H200, 9.0"}));
    CHECK(says(answer.diagnosis.verdict, "No fault found: 1 package with device code runs on NVIDIA H200 (9.0)"));
    CHECK_FALSE(answer.diagnosis.undecided);
}

TEST_CASE("Without a GPU nothing is decided, and --gpu judges for one that is elsewhere") {
    FakeRoot root;
    add_package(root, "torch", "2.11.0", {{"torch/lib/libtorch_cuda.so", {"80", "90"}, ""}});
    const Answer none = asked(root, Machine{});
    CHECK(says(none.diagnosis.verdict, "No NVIDIA GPU"));
    CHECK(none.diagnosis.undecided);

    DoctorOptions options;
    options.gpus = {{{12, 0}, false, "RTX 5090", "desktop"}};
    const Answer elsewhere = asked(root, Machine{}, options);
    CHECK(says(elsewhere.diagnosis.verdict, "PyTorch 2.11.0 has no code for RTX 5090 (12.0)"));
}

TEST_CASE("C58: a runtime newer than the driver's major, the stub on the path, a libcuda in the image") {
    FakeRoot too_new;
    // The library asks for libcudart.so.13, as the builder's does not: a program that was linked with a newer CUDA runtime.
    add_package(too_new, "torch", "2.11.0+cu130",
                {{"torch/lib/libtorch_cuda.so", {"90"}, ""}, {"torch/version.py", {}, "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n"}});
    const Answer runtime = asked(too_new, machine_with("550.90.07", {"NVIDIA H200, 9.0"}));
    CHECK(says(runtime.diagnosis.verdict, "built for a newer CUDA than driver 550.90.07 supports (12.4): error 35"));
    CHECK(runtime.cause("CAG305") != nullptr);

    const FakeRoot stub;
    Host host = stub.live_host(h100);
    host.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64/stubs:/usr/lib";
    const Answer stubbed = asked(host);
    INFO(stubbed.diagnosis.verdict);
    CHECK(says(stubbed.diagnosis.verdict, "The loader finds the toolkit's stub of libcuda first (/usr/local/cuda/lib64/stubs)"));

    FakeRoot image;
    image.file("/.dockerenv", "").kernel_module("580.159.04").file("/usr/lib/x86_64-linux-gnu/libcuda.so.535.54.03", "");
    image.link("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.535.54.03");
    const Answer own = asked(image.live_host(h100));
    CHECK(says(own.diagnosis.verdict, "this image brings its own libcuda"));
}

TEST_CASE("C60: the gate of a container image is told from a missing architecture") {
    FakeRoot root;
    add_package(root, "tabby", "1.0", {{"tabby/ext.so", {"80", "86", "89", "90", "120"}, ""}});
    Machine machine = machine_with("550.90.07", {"NVIDIA GeForce RTX 3090, 8.6"});
    machine.environment["NVIDIA_REQUIRE_CUDA"] = "cuda>=12.8 brand=tesla,driver>=570,driver<571";
    const Answer answer = asked(root, machine);
    CHECK(says(answer.diagnosis.verdict, "asks for cuda>=12.8 and refuses to start with this driver"));
    REQUIRE(answer.cause("CAG305") != nullptr);
    CHECK(says(answer.cause("CAG305")->evidence, "would run on NVIDIA GeForce RTX 3090 (8.6) with this driver all the same"));
    CHECK(says(answer.cause("CAG305")->fixes, "NVIDIA_DISABLE_REQUIRE=1"));

    machine.environment["NVIDIA_REQUIRE_CUDA"] = "cuda>=12.4 brand=tesla,driver>=535,driver<536";
    CHECK(asked(root, machine).cause("CAG305") == nullptr);
    machine.environment["NVIDIA_REQUIRE_CUDA"] = "cuda>=13.0 driver>=550,driver<551";
    CHECK(asked(root, machine).cause("CAG305") == nullptr); // one alternative is enough
}

TEST_CASE("C61: a fabric that is not up gives 802") {
    const FakeRoot root;
    const Answer answer = asked(root.live_host(std::string(h100) + "cuda=802\nfabric=2\ndriver=580.159.04\n"));
    CHECK(says(answer.diagnosis.verdict, "CUDA gives error 802. Not an architecture problem"));
    REQUIRE(answer.cause("CAG310") != nullptr);
    CHECK(says(answer.cause("CAG310")->fixes, "nvidia-fabricmanager of exactly the driver's version (580.159.04)"));
    CHECK(asked(root.live_host(std::string(h100) + "fabric=3\n")).cause("CAG310") == nullptr);
}

TEST_CASE("C62: a branch that no longer drives the card, and a kernel module of the wrong flavour") {
    FakeRoot root;
    root.card("0000:01:00.0", "1c81", "nvidia").kernel_module("595.45.04"); // GTX 1050
    const Answer dropped = asked(root.host());
    CHECK(says(dropped.diagnosis.verdict, "Driver 595.45.04 no longer drives"));
    CHECK(says(dropped.diagnosis.verdict, "R580 is the last branch that does"));

    FakeRoot open;
    open.card("0000:01:00.0", "1bb3", "nvidia").kernel_module("580.159.04", true); // Tesla P4
    CHECK(says(asked(open.host()).diagnosis.verdict, "The open kernel module does not drive"));

    FakeRoot closed;
    closed.card("0000:01:00.0", "2b85", "nvidia").kernel_module("580.159.04", false); // RTX 5090
    CHECK(says(asked(closed.host()).diagnosis.verdict, "needs the open kernel module, and the proprietary one is loaded"));
}

TEST_CASE("C64: a Linux driver inside WSL") {
    FakeRoot root;
    root.file("/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n").file("/usr/lib/wsl/lib/libcuda.so.1", "");
    root.file("/usr/lib/x86_64-linux-gnu/libcuda.so.510.108.03", "")
        .link("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.510.108.03");
    const Answer answer = asked(root.live_host("gpu=NVIDIA GeForce RTX 3080,8,6,2206,01,11111111\ncuda=100\n"));
    CHECK(says(answer.diagnosis.verdict, "A Linux driver is installed inside WSL and hides the Windows driver's library"));
}

TEST_CASE("C87: an emulated device is never judged by NVIDIA's rules") {
    FakeRoot root;
    add_package(root, "torch", "2.8.0", {{"torch/lib/libtorch_cuda.so", {"80", "86", "89"}, ""}});
    const Answer answer = asked(root.live_host("gpu=AMD Radeon RX 7900 XTX [ZLUDA],8,8,744c,03,11111111\nnvml=12\n"));
    CHECK(says(answer.diagnosis.verdict, "Not known: the GPU is another vendor's behind ZLUDA"));
    CHECK(answer.diagnosis.undecided);
    CHECK(answer.cause("CAG107") != nullptr);
}

TEST_CASE("A compat package on a GeForce gives 804, on a data-center GPU it is fine") {
    FakeRoot root;
    root.kernel_module("535.54.03").file("/usr/local/cuda/compat/libcuda.so.580.65.06", "");
    root.link("/usr/local/cuda/compat/libcuda.so.1", "libcuda.so.580.65.06");
    const auto with = [&](const std::string& gpu) {
        Host host = root.live_host(gpu + "driver=535.54.03\n");
        host.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/compat";
        return asked(host);
    };
    CHECK(says(with("gpu=NVIDIA GeForce RTX 4090,8,9,2684,01,11111111\n").diagnosis.verdict, "does not support it: error 804"));
    CHECK(with(h100).cause("CAG310") == nullptr);
}

TEST_CASE("Variables that hide GPUs or change what is loaded") {
    FakeRoot root;
    add_package(root, "torch", "2.8.0", {{"torch/lib/libtorch_cuda.so", {"80", "90"}, ""}});
    Machine machine = machine_with("580.159.04", {"NVIDIA H200, 9.0"});
    machine.environment["CUDA_VISIBLE_DEVICES"] = "";
    CHECK(says(asked(root, machine).diagnosis.verdict, "hides every GPU: error 100: unset CUDA_VISIBLE_DEVICES"));

    machine.environment = {{"CUDA_FORCE_PTX_JIT", "1"}};
    const Answer forced = asked(root, machine);
    CHECK(forced.answer("torch") == "fails");
    CHECK(says(forced.diagnosis.verdict, "because CUDA_FORCE_PTX_JIT ignores its machine code: unset CUDA_FORCE_PTX_JIT"));

    machine.environment = {{"TORCH_CUDA_ARCH_LIST", "8.0;8.6"}};
    REQUIRE(asked(root, machine).cause("CAG331") != nullptr);
    machine.environment = {{"TORCH_CUDA_ARCH_LIST", "8.0+PTX"}};
    CHECK(asked(root, machine).cause("CAG331") == nullptr);
    machine.environment = {{"TORCH_CUDA_ARCH_LIST", "9.0a"}};
    CHECK(asked(root, machine).cause("CAG331") == nullptr);
}
