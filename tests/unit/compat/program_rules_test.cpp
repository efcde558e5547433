// Rules 9 to 14 of docs/rules.md: device-linked programs, and which modules of a file are judged at all.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using made::image;
using made::of_toolkit;
using made::says;
using made::what;

namespace {

// An input of a device link with one kernel, which calls `calls`, and a function of its own.
std::vector<Image> input(const std::vector<std::string>& targets, const std::string& kernel, const std::string& function = "",
                         const std::string& calls = "") {
    auto images = made::images(targets, {kernel});
    for (Image& image : images) {
        image.relocatable = true;
        if (!function.empty()) {
            image.functions = {function};
        }
        if (!calls.empty()) {
            image.undefined = {calls, "vprintf", "__cudaGetParameterBuffer", ".nv.whatever"};
        }
    }
    return images;
}

made::File program(std::vector<Image> linked, const std::vector<std::vector<Image>>& inputs) {
    made::File file;
    const auto index = file.add(ModuleKind::linked, std::move(linked));
    for (const auto& images : inputs) {
        file.add(ModuleKind::relocatable, images, index);
    }
    return file;
}

} // namespace

TEST_CASE("rule 10: a linked image that serves is taken, and a kernel missing from it gives 500") {
    const auto file = program(made::images({"sm_80", "sm_90"}, {"ka"}), {input({"sm_80", "sm_90"}, "ka"), input({"sm_80"}, "kb")});
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90");
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 500");
    const auto outcomes = made::all_outcomes(made::ask(file, "9.0", "580"));
    REQUIRE(outcomes.size() == 2); // both kernels under the linked module, none under its inputs
    CHECK(says(outcomes[1].reasons, "does not hold this kernel"));
    CHECK(says(outcomes[1].fixes, "nvcc -dlink"));
}

TEST_CASE("rule 10: a kernel that the link dropped because no host code refers to it has no outcome: nothing can launch it") {
    auto file = program(made::images({"sm_90"}, {"ka"}), {input({"sm_90"}, "ka"), input({"sm_90"}, "kb")});
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 500"); // nothing is recorded of what host code refers to
    file.get().host_references = {{"ka"}};
    const auto outcomes = made::all_outcomes(made::ask(file, "9.0", "580"));
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].kernel == "ka");
}

TEST_CASE("rule 10: an empty linked image that serves hides the inputs") {
    const auto file = program(made::images({"sm_75"}, {}), {input({"sm_75", "sm_90"}, "ka")});
    CHECK(what(file, "7.5", "580", {}, "ka") == "fails 500");
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90"); // it does not serve there, so the inputs are linked again
}

TEST_CASE("rule 11: where no linked image serves, the inputs are linked again") {
    const auto sass =
        program(made::images({"sm_80"}, {"ka", "kb"}), {input({"sm_80", "sm_90"}, "ka", "", "f"), input({"sm_80", "sm_90"}, "kb", "f")});
    const auto outcome = made::outcome(sass, "9.0", "580", {}, "ka");
    CHECK(made::summary(outcome) == "sass 90");
    CHECK(outcome.image->module == 1); // the input that holds it
    CHECK(says(outcome.reasons, "links the inputs again at load"));

    const auto ptx = program(made::images({"sm_80"}, {"ka"}), {input({"sm_80", "compute_80"}, "ka")});
    CHECK(what(ptx, "9.0", "580", {}, "ka") == "jit 80");
    CHECK(what(ptx, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "1"}}, "ka") == "fails 223");
}

TEST_CASE("rule 11: kernels of inputs that are left out give 500, the others run") {
    const auto file = program(made::images({"sm_80"}, {"ka", "kb"}), {input({"sm_80", "sm_90"}, "ka"), input({"sm_80"}, "kb")});
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90");
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 500");
}

TEST_CASE("rule 11: a kernel that several inputs define comes from the first that is taken") {
    const auto file = program(made::images({"sm_80"}, {"k"}), {input({"sm_80"}, "k"), input({"sm_80", "sm_90"}, "k")});
    CHECK(what(file, "9.0", "580") == "sass 90");
}

TEST_CASE("rule 11: none taken gives 500 for all, not 209") {
    const auto file = program(made::images({"sm_80"}, {"ka", "kb"}), {input({"sm_80"}, "ka"), input({"sm_80"}, "kb")});
    CHECK(what(file, "9.0", "580", {}, "ka") == "fails 500");
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 500");
}

TEST_CASE("rule 11: a call of a function that is left out gives 300 for every kernel") {
    const auto file =
        program(made::images({"sm_80"}, {"ka", "kb"}), {input({"sm_80", "sm_90"}, "ka", "", "f"), input({"sm_80"}, "kb", "f")});
    CHECK(what(file, "9.0", "580", {}, "ka") == "fails 300");
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 300");
    CHECK(says(made::outcome(file, "9.0", "580", {}, "ka").reasons, "f is called"));
}

TEST_CASE("rule 11: names that the linker or the device runtime supply are not missing") {
    const auto file = program({image("sm_80", {"ka"})}, {input({"sm_80", "sm_90"}, "ka", "f", "f")});
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90");
}

TEST_CASE("rule 11: the first taken input that cannot be used decides for every kernel") {
    auto newer = input({"compute_80"}, "kb");
    newer[0].ptx_isa = PtxIsa{9, 5};
    CHECK(what(program({image("sm_80", {"ka"})}, {input({"sm_90"}, "ka"), newer}), "9.0", "580", {}, "ka") == "fails 222");
    // SASS comes before PTX in each input, so newer PTX beside SASS does no harm.
    auto beside = input({"sm_90", "compute_80"}, "ka");
    beside[1].ptx_isa = PtxIsa{9, 5};
    CHECK(what(program({image("sm_80", {"ka"})}, {beside}), "9.0", "580", {}, "ka") == "sass 90");
}

TEST_CASE("rule 11: minor-version compatibility ends at the relink") {
    const auto newer = of_toolkit("13.5", {9, 5}, input({"sm_80", "sm_90"}, "ka"));
    const auto failed =
        made::outcome(program(of_toolkit("13.5", {9, 5}, made::images({"sm_80"}, {"ka"})), {newer}), "9.0", "580", {}, "ka");
    CHECK(made::summary(failed) == "fails 209");
    CHECK(says(failed.fixes, "update the driver to R620"));
    // The same objects run where a linked image serves.
    CHECK(what(program(of_toolkit("13.5", {9, 5}, made::images({"sm_90"}, {"ka"})), {newer}), "9.0", "580", {}, "ka") == "sass 90");
}

TEST_CASE("rule 6 in a relink: without SASS only the inputs with PTX are left") {
    const auto file = program(made::images({"sm_90"}, {"ka", "kb"}), {input({"sm_90", "compute_90"}, "ka"), input({"sm_90"}, "kb")});
    CHECK(what(file, "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "1"}}, "ka") == "jit 90");
    const auto left_out = made::outcome(file, "9.0", "580", {{"CUDA_FORCE_PTX_JIT", "1"}}, "kb");
    CHECK(made::summary(left_out) == "fails 500");
    CHECK(left_out.fixes.front() == "unset CUDA_FORCE_PTX_JIT");
}

TEST_CASE("the device runtime's images and kernels are not the program's") {
    const std::string its_kernel = "__nv_static_52__f4510a67_22_cuda_device_runtime_cu_3ecce0c0_2317245__Z16memset_3d_deviceIjEv";
    auto runtime = made::images({"sm_75", "compute_75"}, {its_kernel});
    for (Image& image : runtime) {
        image.functions = {"cnpGetLastError", "__cudaCDP2Free", "cudaGetDevice"};
    }
    // As part of a linked image its kernels are not counted; as an input it neither decides (its PTX would give 223) nor calls.
    const auto file = program(made::images({"sm_80"}, {"ka", its_kernel}), {input({"sm_80", "sm_90"}, "ka"), runtime});
    const Environment no_jit = {{"CUDA_DISABLE_PTX_JIT", "1"}};
    const auto outcomes = made::all_outcomes(made::ask(file, "9.0", "580", no_jit));
    REQUIRE(outcomes.size() == 1);
    CHECK(made::summary(outcomes[0]) == "sass 90");
    // A program's own input is another thing, even where its functions begin like the runtime's.
    runtime[0].kernels[0].name = runtime[1].kernels[0].name = "kb";
    const auto own = program(made::images({"sm_80"}, {"ka"}), {input({"sm_80", "sm_90"}, "ka"), runtime});
    CHECK(what(own, "9.0", "580", no_jit, "ka") == "fails 223");
}

TEST_CASE("the device runtime is told by its module id too") {
    auto file = program(made::images({"sm_80"}, {"ka"}), {input({"sm_80", "sm_90"}, "ka"), input({"compute_75"}, "unread")});
    CHECK(what(file, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "1"}}, "ka") == "fails 223");
    file.get().modules[2].identity = "_f4510a67_22_cuda_device_runtime_cu_3ecce0c0_2317245";
    CHECK(what(file, "9.0", "580", {{"CUDA_DISABLE_PTX_JIT", "1"}}, "ka") == "sass 90");
}

TEST_CASE("rule 12: a whole-program module beside a device-linked one is judged by itself") {
    auto file = program(made::images({"sm_80", "sm_90"}, {"ka"}), {input({"sm_80", "sm_90"}, "ka")});
    file.add(ModuleKind::registered, made::images({"sm_80"}, {"kb"}));
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90");
    CHECK(what(file, "9.0", "580", {}, "kb") == "fails 209");
}

TEST_CASE("rule 13: relocatable objects are not runnable, whole-program objects are judged as if linked") {
    made::File object(FileRole::object);
    object.add(ModuleKind::relocatable, input({"sm_90"}, "ka"));
    CHECK(made::all_outcomes(made::ask(object, "9.0", "580")).empty());
    made::File whole(FileRole::object);
    whole.add(ModuleKind::registered, made::images({"sm_80"}));
    CHECK(what(whole, "9.0", "580") == "fails 209");
    // The object of `nvcc -dlink` by itself: its inputs are in other objects.
    made::File linked(FileRole::object);
    linked.add(ModuleKind::linked, made::images({"sm_80"}));
    CHECK(what(linked, "8.0", "580") == "sass 80");
    CHECK(what(linked, "9.0", "580") == "unknown");
}

TEST_CASE("rule 14: a program linked with -dlto has nothing to link again") {
    const auto file = program(made::images({"sm_80"}, {"ka"}), {{image("lto_80", {})}});
    CHECK(what(file, "8.0", "580", {}, "ka") == "sass 80");
    const auto failed = made::outcome(file, "9.0", "580", {}, "ka");
    CHECK(made::summary(failed) == "fails 500");
    CHECK(failed.confidence == Confidence::measured);
    CHECK(says(failed.reasons, "there are no inputs with SASS or PTX that the driver could link again"));
}

TEST_CASE("what every host link leaves behind is nobody's coverage and nobody's defect") {
    made::File file;
    file.add(ModuleKind::registered, made::images({"sm_90"}));
    file.add(ModuleKind::linked, made::images({"sm_75"}, {}));
    CHECK(made::all_outcomes(made::ask(file, "9.0", "580")).size() == 1);
    CHECK(made::all_outcomes(made::ask(file, "7.5", "580")).size() == 1);
    CHECK(what(file, "7.5", "580") == "fails 209");
}

TEST_CASE("two device links: each has its own inputs; inputs of neither leave the answer open") {
    made::File file;
    const auto first = file.add(ModuleKind::linked, made::images({"sm_80"}, {"ka"}));
    const auto second = file.add(ModuleKind::linked, made::images({"sm_90"}, {"kb"}));
    file.add(ModuleKind::relocatable, input({"sm_80", "sm_90"}, "ka"), first);
    file.add(ModuleKind::relocatable, input({"sm_90"}, "kb"), second);
    CHECK(what(file, "9.0", "580", {}, "ka") == "sass 90");
    CHECK(what(file, "8.0", "580", {}, "kb") == "fails 500");
    file.add(ModuleKind::relocatable, input({"sm_90"}, "kc"));
    CHECK(what(file, "9.0", "580", {}, "ka") == "unknown");
    CHECK(what(file, "9.0", "580", {}, "kb") == "sass 90");
}

TEST_CASE("a device link of code for several virtual architectures is said to be mixed") {
    const auto mixed = program(made::images({"sm_90"}, {"ka", "kb"}), {input({"sm_90"}, "ka"), input({"sm_80", "compute_80"}, "kb")});
    const auto outcome = made::outcome(mixed, "9.0", "580", {}, "ka");
    CHECK(made::summary(outcome) == "sass 90");
    CHECK(says(outcome.warnings, "mixes code compiled for 8.0 and 9.0"));
    const auto even = program(made::images({"sm_90"}, {"ka", "kb"}), {input({"sm_90"}, "ka"), input({"sm_80", "sm_90"}, "kb")});
    CHECK_FALSE(says(made::outcome(even, "9.0", "580", {}, "ka").reasons, "mixes"));
}

TEST_CASE("containers that nothing registers are not judged") {
    made::File file;
    file.add(ModuleKind::unregistered, made::images({"sm_80"}));
    CHECK(made::all_outcomes(made::ask(file, "9.0", "580")).empty());
}

TEST_CASE("embedded containers are one pool: any of them may serve a kernel") {
    made::File file;
    file.add(ModuleKind::embedded, made::images({"sm_80"}, {"k", "old"}));
    file.add(ModuleKind::embedded, made::images({"sm_90"}, {"k"}));
    file.add(ModuleKind::raw, made::images({"compute_75"}, {"old"}));
    const auto prediction = made::ask(file, "9.0", "580");
    const auto outcomes = made::all_outcomes(prediction);
    REQUIRE(outcomes.size() == 2);
    CHECK(what(file, "9.0", "580", {}, "k") == "sass 90");
    CHECK(what(file, "9.0", "580", {}, "old") == "jit 75");
    REQUIRE(prediction.files[0].modules.size() == 2);
    CHECK(prediction.files[0].modules[0].module == 1); // the module that serves
    CHECK(what(file, "7.5", "580", {}, "k") == "fails 209");
}

TEST_CASE("rule 14: kernels of an LTO-IR input, whose names cannot be read, get one answer for all") {
    const auto file = program(made::images({"sm_80"}, {}), {input({"sm_90"}, "ka"), made::images({"lto_90"}, {})});
    const auto outcomes = made::all_outcomes(made::ask(file, "9.0", "580"));
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[0].kernel.empty());
    CHECK(made::summary(outcomes[0]) == "fails 500");
    CHECK(outcomes[1].kernel + " " + made::summary(outcomes[1]) == "ka sass 90");
}
