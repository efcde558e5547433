#include "policy/codes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

using namespace cag;

TEST_CASE("codes are found in any case, with and without their prefix") {
    REQUIRE(find_code("CAG101") != nullptr);
    CHECK(find_code("cag101") == find_code("CAG101"));
    CHECK(find_code("101") == find_code("CAG101"));
    CHECK(find_code("CAG999") == nullptr);
    CHECK(find_code("") == nullptr);
}

TEST_CASE("every code is explained, and listed once in the order of the numbers") {
    std::string last;
    for (const DiagnosticCode& code : all_codes()) {
        INFO(code.name);
        CHECK(code.name.size() == 6);
        CHECK(last < code.name);
        CHECK(code.title.size() > 10);
        CHECK_FALSE(code.title.ends_with('.'));
        CHECK(code.explanation.ends_with('.'));
        CHECK(code.fix.ends_with('.'));
        last = code.name;
    }
}

// Published codes keep their meaning. Who changes a line here changes what waivers and dashboards of users refer to.
TEST_CASE("the list of codes and titles is the published one") {
    const std::vector<std::pair<std::string_view, std::string_view>> published{
        {"CAG101", "SASS is missing for a required architecture"},
        {"CAG102", "PTX is missing for a required architecture"},
        {"CAG103", "A kernel does not run on a required GPU"},
        {"CAG104", "A kernel is missing from the image of a required architecture"},
        {"CAG105", "A module is specialised for other GPUs"},
        {"CAG106", "There is nothing to judge"},
        {"CAG107", "It is not known whether a kernel runs"},
        {"CAG108", "A container is not registered"},
        {"CAG109", "A required file is not there"},
        {"CAG110", "A package is not what it says"},
        {"CAG201", "A kernel does nothing in the image that will run"},
        {"CAG202", "The binary holds what the policy forbids"},
        {"CAG301", "PTX is newer than the driver"},
        {"CAG302", "The driver does not drive the GPU"},
        {"CAG303", "An image's compression is newer than the driver"},
        {"CAG304", "Just-in-time compilation is needed and disabled"},
        {"CAG305", "The driver is too old for the toolkit"},
        {"CAG310", "A GPU is there and CUDA programs cannot use it"},
        {"CAG311", "The stub of libcuda is found first"},
        {"CAG312", "libcuda is of another driver than the kernel module"},
        {"CAG313", "A Linux driver hides the Windows driver inside WSL"},
        {"CAG314", "The container image refuses this driver"},
        {"CAG315", "The NVLink fabric is not up"},
        {"CAG316", "The kernel module's flavour does not drive the GPU"},
        {"CAG317", "A compat package is used on a GPU that does not support it"},
        {"CAG318", "The GPU is not NVIDIA's"},
        {"CAG319", "Kernels are compiled at the first start"},
        {"CAG320", "A package's claim and its binaries differ"},
        {"CAG321", "The package is a build without CUDA"},
        {"CAG322", "A closed library has dropped the GPU"},
        {"CAG323", "Two files hold the same kernel for different architectures"},
        {"CAG324", "A TensorRT engine is bound to one kind of GPU"},
        {"CAG325", "The host compiler is too new for nvcc"},
        {"CAG326", "nvcc and PyTorch are of different CUDA versions"},
        {"CAG327", "A framework's own ptxas does not know the GPU"},
        {"CAG328", "XLA's ptxas is newer than the driver"},
        {"CAG329", "NVRTC lacks its builtins"},
        {"CAG330", "CUDA_VISIBLE_DEVICES hides every GPU"},
        {"CAG331", "A variable changes which code is loaded"},
        {"CAG332", "A list for building leaves out a GPU that is here"},
        {"CAG333", "A cache holds code for another GPU"},
        {"CAG401", "The input is cut short or points outside itself"},
        {"CAG402", "A header field is not what it must be"},
        {"CAG403", "A payload does not decompress"},
        {"CAG404", "A limit was reached"},
        {"CAG405", "An entry's kind or codec is unknown"},
        {"CAG406", "A cubin is damaged"},
        {"CAG407", "PTX is damaged"},
        {"CAG408", "A file cannot be opened or read"},
        {"CAG409", "The format is not one that is read"},
        {"CAG410", "An object file or archive is damaged"},
        {"CAG411", "An archive member is encrypted"},
        {"CAG412", "An archive member's name leads outside"},
        {"CAG501", "An architecture is not understood"},
        {"CAG502", "A GPU is not known, or its name means several"},
        {"CAG503", "A driver is not understood"},
        {"CAG504", "The toolkit does not support an architecture"},
        {"CAG505", "The command line is not valid"},
        {"CAG506", "A result cannot be written"},
        {"CAG507", "A runtime guard has no room, or too little"},
        {"CAG508", "The policy file is not valid"},
        {"CAG509", "A waiver has expired, or excuses nothing"},
        {"CAG510", "The cache cannot be used"},
        {"CAG520", "A recorded machine is not understood"},
        {"CAG521", "`local` has no meaning here"},
        {"CAG530", "A lab file is not understood"},
        {"CAG531", "A document with machines is not understood"},
        {"CAG901", "Internal error"},
    };
    for (const auto& [name, title] : published) {
        INFO(name);
        const DiagnosticCode* code = find_code(name);
        REQUIRE(code != nullptr);
        CHECK(code->title == title);
    }
    CHECK(all_codes().size() == published.size());
}
