// Rules 1 to 9 of docs/rules.md: which image of a container is taken, and what becomes of its kernels.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using made::image;
using made::of_toolkit;
using made::outcome;
using made::ptx;
using made::registered;
using made::registered_images;
using made::says;
using made::what;

TEST_CASE("rule 1: SASS serves later minors of its major, the nearest below is taken") {
    const auto file = registered({"sm_75", "sm_80", "sm_86", "sm_90"});
    CHECK(what(file, "8.9", "580") == "sass 86");
    CHECK(what(file, "8.0", "580") == "sass 80");
    CHECK(what(file, "9.0", "580") == "sass 90");
    CHECK(what(file, "7.0", "580") == "fails 209");  // lower minor
    CHECK(what(file, "12.0", "580") == "fails 209"); // another major
    CHECK(what(file, "10.0", "580") == "fails 209");
}

TEST_CASE("rule 1: a lower minor covers those that were dropped, but for Tegra") {
    const auto file =
        registered_images(made::of_toolkit("12.8", {8, 7}, made::images({"sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_90"})));
    CHECK(what(file, "6.1", "580") == "sass 60");
    CHECK(what(file, "5.2", "580") == "sass 50");
    CHECK(what(file, "8.6", "580") == "sass 80");
    CHECK(what(file, "8.9", "580") == "sass 80");
    CHECK(what(file, "6.2", "580") == "fails 209"); // Jetson TX2
}

TEST_CASE("rule 1: the failure names what is there and the flag that is missing") {
    const auto failed = outcome(registered({"sm_75", "sm_80", "sm_86", "sm_90"}), "RTX 5090", "580");
    CHECK(failed.error->name == "cudaErrorNoKernelImageForDevice");
    CHECK(says(failed.reasons, "SASS 75, 80, 86, 90 and no PTX"));
    CHECK(says(failed.reasons, "a driver update cannot help"));
    CHECK(says(failed.fixes, "-gencode=arch=compute_120,code=sm_120"));
    CHECK(says(failed.fixes, "120-real to CMAKE_CUDA_ARCHITECTURES"));
    CHECK(says(failed.fixes, "12.0 to TORCH_CUDA_ARCH_LIST"));
}

TEST_CASE("rule 1: a GPU that the toolkit has dropped needs a build of an older toolkit, not a newer driver") {
    const auto failed = outcome(registered({"sm_75", "sm_90", "compute_90"}), "V100", "580");
    CHECK(made::summary(failed) == "fails 209");
    CHECK(says(failed.reasons, "every image is for newer GPUs"));
    CHECK(says(failed.fixes, "CUDA 12.9 or older"));
    CHECK(says(failed.fixes, "no build made with CUDA 13.0 can hold it"));
}

TEST_CASE("rule 2: a serves exactly its capability and comes before the plain one") {
    CHECK(what(registered({"sm_90", "sm_90a"}), "9.0", "580") == "sass 90a");
    const auto file = registered({"sm_80", "sm_90a", "sm_100a", "sm_120"});
    CHECK(what(file, "10.0", "580") == "sass 100a");
    CHECK(what(file, "10.3", "580") == "fails 209");
    CHECK(what(file, "12.1", "580") == "sass 120");
    CHECK(says(outcome(file, "10.3", "580").reasons, "sm_100a serves compute capability 10.0 only"));
}

TEST_CASE("rule 2: a as PTX is a dead end") {
    const auto file = registered({"sm_75", "sm_80", "sm_86", "sm_89", "compute_90a"});
    CHECK(what(file, "9.0", "580") == "jit 90a");
    CHECK(what(file, "12.0", "580") == "fails 209");
    CHECK(what(registered({"sm_89", "compute_90"}), "12.0", "580") == "jit 90");
}

TEST_CASE("rule 2: f serves its family from its minor upward") {
    const auto f100 = registered({"sm_100f"});
    CHECK(what(f100, "10.0", "580") == "sass 100f");
    CHECK(what(f100, "10.3", "580") == "sass 100f");
    CHECK(what(f100, "10.7", "615") == "sass 100f");
    CHECK(what(f100, "11.0", "580") == "fails 209"); // its own family
    CHECK(what(f100, "12.0", "580") == "fails 209");
    const auto f103 = registered({"sm_103f"});
    CHECK(what(f103, "10.0", "580") == "fails 209");
    CHECK(what(f103, "10.3", "580") == "sass 103f");
    const auto f120 = registered({"sm_120f"});
    CHECK(what(f120, "12.1", "580") == "sass 120f");
    CHECK(what(f120, "10.3", "580") == "fails 209");
    CHECK(what(registered({"sm_121f"}), "12.0", "580") == "fails 209");
    CHECK(says(outcome(f103, "10.0", "580").reasons, "serves its family: 10.3, 10.7"));
}

TEST_CASE("rule 3: PTX only where no SASS serves, the highest target not above the GPU") {
    CHECK(what(registered({"sm_90", "compute_80"}), "9.0", "580") == "sass 90");
    const auto file = registered({"sm_75", "compute_75", "compute_80", "compute_90", "compute_120"});
    CHECK(what(file, "8.9", "580") == "jit 80");
    CHECK(what(file, "10.0", "580") == "jit 90"); // across majors
    CHECK(what(file, "12.1", "580") == "jit 120");
    CHECK(what(registered({"compute_90", "compute_90a"}), "9.0", "580") == "jit 90a");
    CHECK(what(registered({"compute_100"}), "9.0", "580") == "fails 209"); // PTX for a higher target is ignored
}

TEST_CASE("rule 4: PTX newer than the driver gives 222, and older PTX beside it is not tried") {
    const auto shadowed = registered_images(std::vector<Image>{ptx("compute_90", {9, 5}), ptx("compute_80", {9, 0})});
    CHECK(what(shadowed, "9.0", "580") == "fails 222");
    CHECK(what(registered_images(std::vector<Image>{ptx("compute_80", {9, 0})}), "9.0", "580") == "jit 80");
    CHECK(what(registered_images(std::vector<Image>{image("sm_90"), ptx("compute_90", {9, 5})}), "9.0", "580") == "sass 90");
    // The version decides, not the target.
    const auto old_target = registered_images(std::vector<Image>{ptx("compute_75", {9, 2})});
    CHECK(what(old_target, "9.0", "580") == "fails 222");
    CHECK(what(old_target, "9.0", "595") == "jit 75");
    const auto failed = outcome(old_target, "9.0", "580");
    CHECK(says(failed.reasons, "ISA version 9.2, and driver 580 compiles up to 9.0"));
    CHECK(says(failed.fixes, "update the driver to R595 (CUDA 13.2)"));
}

TEST_CASE("rule 4: of several PTX images for one target the first is taken, the last where it is the GPU's own") {
    const auto two = [](const char* target, PtxIsa first, PtxIsa second) {
        return registered_images(std::vector<Image>{ptx(target, first), ptx(target, second)});
    };
    CHECK(what(two("compute_80", {9, 0}, {9, 5}), "9.0", "580") == "jit 80");
    CHECK(what(two("compute_80", {9, 5}, {9, 0}), "9.0", "580") == "fails 222");
    CHECK(what(two("compute_90a", {9, 0}, {9, 5}), "9.0", "580") == "jit 90a");
    CHECK(what(two("compute_90", {9, 0}, {9, 5}), "9.0", "580") == "fails 222");
    CHECK(what(two("compute_90", {9, 5}, {9, 0}), "9.0", "580") == "jit 90");
}

TEST_CASE("rule 4: the answer is per GPU, not per file") {
    const auto file = registered_images(std::vector<Image>{ptx("compute_75", {9, 2}), image("sm_80"), image("sm_86")});
    CHECK(what(file, "7.5", "580") == "fails 222");
    CHECK(what(file, "8.6", "580") == "sass 86");
    CHECK(what(file, "7.5", "595") == "jit 75");
}

TEST_CASE("rule 5: SASS of a newer minor runs, a runtime of a newer major does not start") {
    const auto minor = registered_images(of_toolkit("13.5", {9, 5}, made::images({"sm_90"})));
    CHECK(what(minor, "9.0", "580") == "sass 90");
    const auto major = registered({"sm_80", "sm_90"});
    CHECK(what(major, "9.0", "570") == "fails 35");
    const auto failed = outcome(major, "9.0", "570");
    CHECK(says(failed.reasons, "not a missing architecture"));
    CHECK(says(failed.fixes, "update the driver to R580"));
    CHECK(what(registered_images(of_toolkit("12.8", {8, 7}, made::images({"sm_80"}))), "8.0", "525") == "sass 80");
    CHECK(what(registered_images(of_toolkit("12.8", {8, 7}, made::images({"sm_80"}))), "8.0", "520") == "fails 35");
    CHECK(what(registered_images(of_toolkit("11.8", {7, 8}, made::images({"sm_80"}))), "8.0", "450") == "sass 80");
    CHECK(what(registered_images(of_toolkit("10.2", {6, 5}, made::images({"sm_75"}))), "7.5", "418") == "fails 35"); // no promise before 11
}

TEST_CASE("rule 5: the runtime that the file names counts before the toolkit of its images") {
    auto file = registered_images(of_toolkit("11.8", {7, 8}, made::images({"sm_80"})));
    file.get().cuda_runtime = "libcudart.so.12";
    CHECK(what(file, "8.0", "470") == "fails 35");
    CHECK(says(outcome(file, "8.0", "470").reasons, "libcudart.so.12"));
    file.get().cuda_runtime = "static 11.8";
    CHECK(what(file, "8.0", "470") == "sass 80");
}

TEST_CASE("rule 5: PTX alone tells its toolkit by its ISA version") {
    CHECK(what(registered_images(std::vector<Image>{ptx("compute_80", {9, 0})}), "8.0", "550") == "fails 35");
}

TEST_CASE("rule 6: the JIT switches") {
    const auto both = registered({"sm_90", "compute_80"});
    CHECK(what(both, "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "1"}}) == "jit 80");
    CHECK(what(both, "9.0", "580", {{"CUDA_FORCE_JIT", "1"}}) == "jit 80");
    CHECK(what(both, "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "0"}}) == "sass 90");
    CHECK(what(both, "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "1"}, {"CUDA_DISABLE_PTX_JIT", "1"}}) == "fails 223");
    CHECK(what(registered({"sm_90"}), "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "1"}}) == "fails 209");
    const auto only_ptx = registered({"compute_80"});
    CHECK(what(only_ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "1"}}) == "fails 223");
    CHECK(what(only_ptx, "9.0", "580", {{"CUDA_MODULE_LOADING", "EAGER"}}) == "jit 80");
    // Only the number 1 sets a switch; of a pair, the name with PTX in it decides.
    for (const char* value : {"2", "-1", "true", "yes", ""}) {
        CAPTURE(value);
        CHECK(what(only_ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", value}}) == "jit 80");
        CHECK(what(only_ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", value}, {"CUDA_DISABLE_JIT", "1"}}) == "jit 80");
    }
    CHECK(what(only_ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "01"}}) == "fails 223");
    const auto too_new = registered_images(std::vector<Image>{ptx("compute_80", {9, 5})});
    CHECK(what(too_new, "9.0", "580", {{"CUDA_DISABLE_JIT", "1"}}) == "fails 223");
    const auto failed = outcome(registered({"sm_90"}), "9.0", "580", {{"CUDA_FORCE_JIT", "1"}});
    CHECK(failed.fixes.front() == "unset CUDA_FORCE_JIT");
}

TEST_CASE("rule 6: a list of devices that names none hides the GPU") {
    const auto file = registered({"sm_90"});
    for (const char* list : {"", "-1", "x", "-1,0", "GPU-", "MIG-", ",0", "NoDevFiles"}) {
        CAPTURE(list);
        CHECK(what(file, "9.0", "580", {{"CUDA_VISIBLE_DEVICES", list}}) == "fails 100");
    }
    for (const char* list : {"0", "00", "+0", "-0", "0x1", "0abc", "0,-1", "0,x", "0,1", "GPU-0123abcd", "GPU-0123abcd,0"}) {
        CAPTURE(list);
        CHECK(what(file, "9.0", "580", {{"CUDA_VISIBLE_DEVICES", list}}) == "sass 90");
    }
    CHECK(what(file, "9.0", "580", {{"CUDA_VISIBLE_DEVICES", "0,0"}}) == "fails 101");
    CHECK(outcome(file, "9.0", "580", {{"CUDA_VISIBLE_DEVICES", ""}}).confidence == Confidence::measured);
}

TEST_CASE("rule 7: each module by itself, each kernel by the image taken") {
    made::File file;
    file.add(ModuleKind::registered, made::images({"sm_80"}, {"ka"}));
    file.add(ModuleKind::registered, made::images({"sm_90"}, {"kb"}));
    CHECK(what(file, "9.0", "580", {}, "ka") == "fails 209");
    CHECK(what(file, "9.0", "580", {}, "kb") == "sass 90");

    const auto guarded = registered_images(std::vector<Image>{image("sm_80", {"everywhere", "old"}), image("sm_90", {"everywhere"})});
    CHECK(what(guarded, "9.0", "580", {}, "everywhere") == "sass 90");
    CHECK(what(guarded, "9.0", "580", {}, "old") == "fails 500");
    CHECK(what(guarded, "8.0", "580", {}, "old") == "sass 80");
}

TEST_CASE("rule 7: a module of variables only fails at their first use") {
    Image variables = image("sm_80", {});
    variables.empty = false;
    CHECK(what(registered_images(std::vector<Image>{variables}), "9.0", "580", {}, "") == "fails 209");
    CHECK(what(registered_images(std::vector<Image>{variables}), "8.0", "580", {}, "") == "sass 80");
}

TEST_CASE("rule 8: a kernel that loads and does nothing is called so") {
    Image empty = image("sm_90");
    empty.kernels[0].body = KernelBody::empty;
    const auto hollow = outcome(registered_images(std::vector<Image>{empty}), "9.0", "580");
    CHECK(made::summary(hollow) == "sass 90");
    CHECK(says(hollow.reasons, "its body is empty"));

    Image trap = image("compute_75");
    trap.kernels[0].body = KernelBody::trap;
    const auto stub = outcome(registered_images(std::vector<Image>{trap, image("sm_90")}), "8.6", "580");
    CHECK(made::summary(stub) == "jit 75");
    CHECK(says(stub.warnings, "only traps, while other images hold real code"));
    CHECK(says(stub.warnings, "compiled for compute capability 7.5"));
    CHECK_FALSE(says(outcome(registered({"sm_90"}), "9.0", "580").reasons, "empty"));
}

TEST_CASE("rule 8: far less code in the image taken than elsewhere is worth a word") {
    Image small = image("sm_80");
    Image large = image("sm_90");
    large.kernels[0].code_size = 16384;
    CHECK(says(outcome(registered_images(std::vector<Image>{small, large}), "8.0", "580").warnings, "512 bytes of code, against 16384"));
    small.kernels[0].code_size = 9000;
    CHECK_FALSE(says(outcome(registered_images(std::vector<Image>{small, large}), "8.0", "580").reasons, "bytes of code"));
}

TEST_CASE("rule 7: where modules share a kernel's host function, the module registered first serves it") {
    made::File file;
    file.add(ModuleKind::registered, made::images({"sm_80"}, {"shared", "ka"}));
    file.add(ModuleKind::registered, made::images({"sm_90"}, {"shared", "kb"}));
    const auto all = [&] {
        std::vector<std::string> texts;
        for (const Outcome& outcome : made::all_outcomes(made::ask(file, "9.0", "580"))) {
            texts.push_back(outcome.kernel + " " + made::summary(outcome));
        }
        return texts;
    };
    CHECK(all() == std::vector<std::string>{"ka fails 209", "shared fails 209", "kb sass 90", "shared sass 90"});
    file.get().shared_host_functions = {"shared"};
    CHECK(all() == std::vector<std::string>{"ka fails 209", "shared fails 209", "kb sass 90", "shared fails 209"});
}

TEST_CASE("rule 9: relocatable code outside a device link is said to be linked by the driver") {
    auto file = registered({"sm_90"});
    CHECK_FALSE(says(outcome(file, "9.0", "580").reasons, "outside a device link"));
    file.get().modules[0].images[0].relocatable = true;
    const auto linked = outcome(file, "9.0", "580");
    CHECK(made::summary(linked) == "sass 90");
    CHECK(linked.confidence == Confidence::reported);
    CHECK(says(linked.reasons, "relocatable code outside a device link"));
}

TEST_CASE("a module that was not read to its kernels gives one answer") {
    auto file = registered({"sm_80", "sm_90"});
    for (Image& image : file.get().modules[0].images) {
        image.payload_read = false;
        image.kernels.clear();
    }
    const auto outcomes = made::all_outcomes(made::ask(file, "9.0", "580"));
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].kernel.empty());
    CHECK(made::summary(outcomes[0]) == "sass 90");
}

TEST_CASE("rule 8: an image that is called 90a and holds nothing that 90a is for") {
    auto file = registered({"sm_90a"});
    CHECK(outcome(file, "9.0", "580").warnings.empty());
    file.get().modules[0].images[0].warpgroup = true;
    CHECK(outcome(file, "9.0", "580").warnings.empty());
    file.get().modules[0].images[0].warpgroup = false;
    CHECK(says(outcome(file, "9.0", "580").warnings, "holds no warpgroup instruction"));
}
