// What packages say of themselves, and whether it is so.
#include "package/claims.hpp"
#include "package/truth.hpp"
#include "unit/policy/model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace cag;
using namespace cag::test;

namespace {

std::string archs(const std::vector<Arch>& list) {
    std::vector<std::string> names;
    for (const Arch arch : list) {
        names.push_back(to_string(arch));
    }
    return fmt::format("{}", fmt::join(names, " "));
}

// "12.8", "12", "x86_64", "SASS 80 90 PTX 90": what the claim is about.
std::string meaning(const PackageClaim& claim) {
    if (!claim.sass.empty() || !claim.ptx.empty()) {
        return "SASS " + archs(claim.sass) + " PTX " + archs(claim.ptx);
    }
    if (claim.cuda_major) {
        return claim.cuda_minor ? fmt::format("{}.{}", *claim.cuda_major, *claim.cuda_minor) : std::to_string(*claim.cuda_major);
    }
    return claim.machine + claim.driver;
}

std::vector<std::string> meanings(const std::vector<PackageClaim>& claims) {
    std::vector<std::string> all;
    for (const PackageClaim& claim : claims) {
        all.push_back(meaning(claim));
    }
    return all;
}

std::vector<std::string> in_text(const std::string& member, const std::string& text) {
    return meanings(claims_of({"x.whl", member, text}));
}

using Texts = std::vector<std::string>;

// One package of these modules, with these texts.
Coverage package(std::vector<Module> modules, std::vector<TextFile> texts, const std::string& name = "x-1.0-py3-none-any.whl") {
    FileCoverage library = file(std::move(modules), name);
    library.member = "pkg/lib.so";
    for (TextFile& text : texts) {
        text.path = name;
    }
    return {{library}, std::move(texts)};
}

std::vector<CheckedClaim> checked_in(const Coverage& coverage) {
    const auto packages = packages_in(coverage, {});
    REQUIRE(packages.size() == 1);
    return check_claims(packages[0]);
}

std::string only_result(const Coverage& coverage) {
    const auto checked = checked_in(coverage);
    REQUIRE(checked.size() == 1);
    return to_string(checked[0].result);
}

TextFile build_record(const std::string& list) {
    return {"x.whl", "pkg/cpp_lib.json", R"({"env": {"TORCH_CUDA_ARCH_LIST": ")" + list + "\"}}"};
}

} // namespace

TEST_CASE("file names") {
    CHECK(meanings(claims_of_file_name("dist/torch-2.8.0+cu128-cp311-cp311-manylinux_2_28_x86_64.whl")) == Texts{"12.8", "x86_64"});
    CHECK(meanings(claims_of_file_name("x-1+cu118-py3-none-win_amd64.whl")) == Texts{"11.8", "x86_64"});
    CHECK(meanings(claims_of_file_name("nvidia_nccl_cu13-2.31.2-py3-none-manylinux_2_18_aarch64.whl")) == Texts{"13", "aarch64"});
    CHECK(claims_of_file_name("xformers-0.0.35-py39-none-any.whl").empty());
    CHECK(claims_of_file_name("recu128-1.0-py3-none-any.whl").empty()); // no tag of its own
    CHECK(claims_of_file_name("libtorch+cu128.zip").empty());
}

TEST_CASE("metadata: headers only, not the description") {
    CHECK(in_text("x.dist-info/METADATA", "Name: x\nVersion: 1.0+cu126\n"
                                          "Classifier: Environment :: GPU :: NVIDIA CUDA :: 12\n"
                                          "Classifier: Environment :: GPU :: NVIDIA CUDA :: 12 :: 12.6\n"
                                          "Requires-Dist: nvidia-cublas-cu12==12.6.4.1; platform_system == 'Linux'\n"
                                          "Requires-Dist: numpy\n\nVersion: 9+cu118\n") == Texts{"12.6", "12", "12.6", "12"});
    CHECK(in_text("x.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_aarch64\n") == Texts{"aarch64"});
}

TEST_CASE("version files, build records, image configurations") {
    CHECK(in_text("torch/version.py", "__version__ = '2.8.0+cu128'\ncuda: Optional[str] = '12.8'\nhip = None\n") == Texts{"12.8", "12.8"});
    CHECK(in_text("tensorflow/python/platform/build_info.py",
                  "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'sm_70', 'compute_90']), "
                  "('cuda_version', '12.5.1')])") == Texts{"SASS 60 70 PTX 90", "12.5"});
    CHECK(in_text("xformers/cpp_lib.json", R"({"version": {"cuda": 1208}, "env": {"TORCH_CUDA_ARCH_LIST": "8.0 9.0a 10.0+PTX"}})") ==
          Texts{"SASS 80 90a 100 PTX 100", "12.8"});
    CHECK(in_text("config.json", R"({"config": {"Env": ["CUDA_VERSION=13.0.1", "TORCH_CUDA_ARCH_LIST=9.0;12.0+PTX",
                                                        "NVIDIA_REQUIRE_CUDA=cuda>=13.0"]}})")
              .size() == 3);
    FileCoverage torch = file({registered({sass("80")})});
    torch.arch_flags = "sm_75 sm_80 compute_80";
    CHECK(meanings(claims_of_library(torch)) == Texts{"SASS 75 80 PTX 80"});
}

TEST_CASE("what is no claim, or no text at all, says nothing") {
    for (const char* text : {"", "\n\n\n", "{", "[1, 2", "null", "{\"env\": {\"TORCH_CUDA_ARCH_LIST\": 7}, \"version\": {\"cuda\": \"x\"}}",
                             "\xff\xfe\x00", "Classifier: Environment :: GPU :: NVIDIA CUDA ::"}) {
        for (const char* name :
             {"x.dist-info/METADATA", "x.dist-info/WHEEL", "x/version.py", "x/build_info.py", "x/cpp_lib.json", "config.json"}) {
            INFO(name << ": " << text);
            CHECK(in_text(name, text).empty());
        }
    }
    CHECK(in_text("x.dist-info/METADATA", "Version: " + std::string(1 << 20, '+')).empty());
}

TEST_CASE("a list of architectures holds where every module has it, and is contradicted where none has") {
    const std::vector<Module> modules{registered({sass("80"), sass("90"), ptx("90")}), registered({sass("80")})};
    CHECK(only_result(package(modules, {build_record("8.0")})) == "holds");
    CHECK(only_result(package(modules, {build_record("8.0 9.0+PTX")})) == "unknown"); // one module of two
    CHECK(only_result(package(modules, {build_record("8.0 12.0")})) == "contradicted");
    CHECK(only_result(package({}, {build_record("8.0")})) == "unknown"); // nothing to compare with
    // What every host link leaves is nobody's code.
    CHECK(only_result(package({registered({sass("90")}), module(ModuleKind::linked, {stub()})}, {build_record("9.0")})) == "holds");
}

TEST_CASE("a list in a folder is about the libraries there") {
    Coverage two = package({registered({sass("80")})}, {{"x.whl", "other/cpp_lib.json", R"({"env": {"TORCH_CUDA_ARCH_LIST": "9.0"}})"}});
    FileCoverage other = file({registered({sass("90")})}, two.files[0].path);
    other.member = "other/lib.so";
    two.files.push_back(other);
    CHECK(only_result(two) == "holds");
}

TEST_CASE("toolkits by what the images record, platforms by the libraries") {
    const auto result = [](const std::string& name) {
        return to_string(checked_in(package({registered({sass("80")})}, {}, name)).at(0).result);
    };
    CHECK(result("x-1+cu130-py3-none-any.whl") == std::string("holds")); // the model's images are of 13.0
    CHECK(result("x-1+cu128-py3-none-any.whl") == std::string("contradicted"));
    CHECK(result("x-1+cu132-py3-none-any.whl") ==
          std::string("unknown")); // the same major: a library from another release may be linked in
    CHECK(result("x-1-py3-none-linux_x86_64.whl") == std::string("holds"));
    CHECK(result("x-1-py3-none-linux_aarch64.whl") == std::string("contradicted"));
}

TEST_CASE("findings of the gate: what is contradicted is an error, certain only where everything could be read") {
    const auto levels = [](const Coverage& content) {
        std::vector<std::string> all;
        for (const FileFinding& found : claim_findings(content, {})) {
            all.push_back(fmt::format("{} {}{}", found.finding.code, to_string(found.finding.level), found.certain ? "" : " uncertain"));
        }
        return all;
    };
    Coverage content = package({registered({sass("80")})}, {build_record("8.0 9.0")});
    CHECK(levels(content) == Texts{"CAG110 error"});
    content.files[0].problems.push_back({"CAG403", "damaged", {}});
    CHECK(levels(content) == Texts{"CAG110 error uncertain"});
    content.texts[0].text = build_record("8.0").text;
    CHECK(levels(content).empty());
}
