// Lists of architectures in texts for people: what is read, what never is, and how it is held against the content.
#include "package/text_claims.hpp"
#include "package/truth.hpp"
#include "unit/policy/model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace cag;
using namespace cag::test;

namespace {

template <typename Value>
std::string joined(const std::vector<Value>& values) {
    std::vector<std::string> texts;
    for (const Value& value : values) {
        texts.push_back(to_string(value));
    }
    return fmt::format("{}", fmt::join(texts, " "));
}

// "SASS 80 90 PTX 90", "GPU 7.5 and newer"; "?" where it is not judged. With the line where it is not the first.
std::string meaning(const PackageClaim& claim) {
    std::string text = !claim.runs_on.empty() ? "GPU " + joined(claim.runs_on) : "";
    text += claim.sass.empty() ? "" : "SASS " + joined(claim.sass);
    text += claim.ptx.empty() ? "" : (text.empty() ? "PTX " : " PTX ") + joined(claim.ptx);
    text += claim.and_newer ? fmt::format(", from {} on", to_string(*claim.and_newer)) : "";
    text += claim.reservation.empty() ? "" : "?";
    return claim.line == 1 ? text : fmt::format("{}: {}", claim.line, text);
}

std::string read(const std::string& text, const std::string& section = "") {
    std::vector<std::string> all;
    for (const PackageClaim& claim : claims_in_text("README.md", text, {"README.md", section})) {
        all.push_back(meaning(claim));
    }
    return fmt::format("{}", fmt::join(all, " | "));
}

struct Case {
    const char* text;
    const char* meaning;
};

// What a text says of a package that holds these modules.
std::string result(const std::string& text, std::vector<Module> modules) {
    FileCoverage library = file(std::move(modules), "x.whl");
    library.member = "pkg/lib.so";
    const PackageContent package{"x.whl", {&library}, {}, 0};
    const auto checked = check_claims(package, {{"README.md", "", text}});
    REQUIRE(checked.size() == 1);
    return to_string(checked[0].result) + std::string(": ") + checked[0].found;
}

} // namespace

TEST_CASE("names of architectures in a sentence") {
    const Case cases[] = {
        {"Wheels hold code for sm_80, sm_86 and sm_90.", "SASS 80 86 90"},
        {"| RTX 3090 | `sm_86` |", "SASS 86"},
        {"Turing (sm_75), Ampere (sm_80, sm_86), Hopper (sm_90a), PTX: compute_90", "SASS 75 80 86 90a PTX 90"},
        {"Tested on SM80/SM90 GPUs.", "SASS 80 90"},
        {"Blackwell: sm_100f", "SASS 100f"},
        {"sm_75 or newer", "GPU 7.5, from 7.5 on"},
        {"<tr>\n<td>NVIDIA GPU <br>SM60+ minimum<br>SM75+ recommended</td>\n<td>❌</td>",
         "2: GPU 6.0, from 6.0 on | 2: GPU 7.5, from 7.5 on"},
        {"sm_80 through sm_90", "GPU 8.0 8.6 8.9 9.0"},
        {"Requires sm_80+", "GPU 8.0, from 8.0 on"},
    };
    for (const Case& one : cases) {
        INFO(one.text);
        CHECK(read(one.text) == one.meaning);
    }
}

TEST_CASE("compute capabilities in a sentence") {
    const Case cases[] = {
        {"Needs a GPU of compute capability 7.5 or newer.", "GPU 7.5, from 7.5 on"},
        {"NVIDIA GPUs with **Compute Capability** >= 7.0", "GPU 7.0, from 7.0 on"},
        {"compute capability at least 8.0", "GPU 8.0, from 8.0 on"},
        {"compute capability ≥ 8.0", "GPU 8.0, from 8.0 on"},
        {"CUDA compute capability 8.0+", "GPU 8.0, from 8.0 on"},
        {"Compute capabilities: 7.5 (Turing), 8.0, 8.6 and 9.0 (H100).", "GPU 7.5 8.0 8.6 9.0"},
        {"compute capability (CC) 7.5 and above", "GPU 7.5, from 7.5 on"},
        {"compute capability 8.0 - 8.9", "GPU 8.0 8.6 8.9"},
        {"compute capability 8.0, 9.0 or higher", "GPU 8.0 9.0, from 9.0 on"},
        {"| Compute capability | 8.6 / 8.9 |", "GPU 8.6 8.9"},
        {"compute capability 8.0, CUDA 12.8 and Python 3.10", "GPU 8.0"},
        {"CUDA architectures: 75, 80, 90", "GPU 7.5 8.0 9.0"},
        {"FP8 on SM 8.9 and SM 9.0", "GPU 8.9 | GPU 9.0"},
        {"A GPU with a compute\ncapability of 7.5 or\nhigher", "GPU 7.5, from 7.5 on"},
    };
    for (const Case& one : cases) {
        INFO(one.text);
        CHECK(read(one.text) == one.meaning);
    }
}

TEST_CASE("lists in the spelling of a build") {
    const Case cases[] = {
        {"TORCH_CUDA_ARCH_LIST=\"8.0;8.6;9.0+PTX\" pip install .", "SASS 80 86 90 PTX 90"},
        {"ENV TORCH_CUDA_ARCH_LIST=\"8.0 9.0a\"", "SASS 80 90a"},
        {"export TORCH_CUDA_ARCH_LIST=8.0 12.0", "SASS 80"}, // a shell's word ends at the space
        {"TORCH_CUDA_ARCH_LIST: 8.0 9.0", "SASS 80 90"},
        {"`TORCH_CUDA_ARCH_LIST` is `8.0;9.0`", ""}, // no value behind the name
        {"cmake -DCMAKE_CUDA_ARCHITECTURES=\"80-real;90\" ..", "SASS 80 90 PTX 90"},
        {"cmake -DCMAKE_CUDA_ARCHITECTURES:STRING=80;90a-real -G Ninja", "SASS 80 90a PTX 80"},
        {"set(CMAKE_CUDA_ARCHITECTURES 75-real 90-virtual)", "SASS 75 PTX 90"},
        {"CUDAARCHS=86-real", "SASS 86"},
        {"nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=compute_90", "SASS 80 PTX 90"},
        {"--generate-code=arch=compute_90,code=[sm_90,compute_90]", "SASS 90 PTX 90"},
        {"-gencode \"arch=compute_90,code=\\\"sm_90,compute_90\\\"\"", "SASS 90 PTX 90"},
        {"Built for 8.0;8.6;9.0+PTX.", "SASS 80 86 90 PTX 90"},
        {"CUDA 12.8, 8.0;9.0+PTX", "SASS 80 90 PTX 90"},
        // What is no list of its own
        {"TORCH_CUDA_ARCH_LIST=$ARCHS", ""},
        {"TORCH_CUDA_ARCH_LIST=\"$ARCHS;9.0\"", ""},
        {"Set CMAKE_CUDA_ARCHITECTURES to native.", ""},
        {"-DCMAKE_CUDA_ARCHITECTURES=native", ""},
        {"-DCMAKE_CUDA_ARCHITECTURES=all-major", ""},
        {"MY_CUDA_ARCHITECTURES_DEFAULT=80", ""},
    };
    for (const Case& one : cases) {
        INFO(one.text);
        CHECK(read(one.text) == one.meaning);
    }
}

TEST_CASE("version numbers, sizes and times are never architectures") {
    for (const char* text : {
             "Needs CUDA 12.0, 12.1 or newer, Python 3.10, cuDNN 9.0 and gcc 8.0.",
             "pip install pkg==8.0 # 8.0;9.0",
             "CUDA 12.8; 13.0",
             "7.5x faster, 8.0 GB of memory, 9.0% less",
             "GPU memory: 8.0 GB, 12.0 GB",
             "compute capability 10.0 GB",
             "version 8.6 of 2024-09-01, see [1] and RFC 9.0.1",
             "compute capability 8.0.1",
             "compute capability 7.7", // no GPU has it
             "the list of compute capabilities is in CUDA 12.0's guide",
             "an SM of 80 KB; 80 SMs; sm8",
             "architectures: 80",
             "ports 80, 86 and 90",
             "",
             "\n\n\n",
             "`",
             "compute capability",
             "TORCH_CUDA_ARCH_LIST",
             "TORCH_CUDA_ARCH_LIST=",
             "TORCH_CUDA_ARCH_LIST=\"",
             "-gencode",
             "-gencode=arch=compute_90,code=",
             "+PTX",
         }) {
        INFO(text);
        CHECK(read(text).empty());
    }
    CHECK(read(std::string(1 << 20, '9')).empty());
    CHECK(read("sm_80 " + std::string(1 << 20, '.')) == "SASS 80");
}

TEST_CASE("a reservation in the sentence: the claim is named, and not judged") {
    CHECK(read("sm_70 is no longer supported. We ship sm_80.") == "SASS 70? | SASS 80");
    CHECK(read("If your GPU is sm_75, build from source.") == "SASS 75?");
    CHECK(read("compute capability 7.5 or older") == "GPU 7.5?");
    CHECK(read("This doesn't run on sm_60") == "SASS 60?");
    CHECK(read("| sm_70 | ❌ |\n| sm_80 | ✓ |") == "SASS 70? | 2: SASS 80");
}

TEST_CASE("lines and sections") {
    const std::string text =
        "# Project\n\nIntro: sm_75.\n\n## Supported GPUs\n\n- sm_80\n- compute\n  capability 9.0\n\n### More\nsm_86\n\n## Build\n"
        "```sh\n# sm_50\nTORCH_CUDA_ARCH_LIST=7.0 make\n```\n";
    CHECK(read(text) == "3: SASS 75 | 7: SASS 80 | 8: GPU 9.0 | 12: SASS 86 | 16: SASS 50 | 17: SASS 70");
    CHECK(read(text, "supported-gpus") == "7: SASS 80 | 8: GPU 9.0 | 12: SASS 86");
    CHECK(read(text, "more") == "12: SASS 86");
    CHECK(read(text, "nowhere").empty());
    CHECK(parse_claim_text("docs/README.md#supported-gpus").section == "supported-gpus");
    CHECK(parse_claim_text("docs/README.md").name == "docs/README.md");
    CHECK(ClaimText{"README.md", ""}.is_in("pkg-1.0/README.md"));
    CHECK_FALSE(ClaimText{"README.md", ""}.is_in("pkg-1.0/OLDREADME.md"));
}

TEST_CASE("a list of a build is about images") {
    const std::vector<Module> modules{registered({sass("80"), sass("90"), ptx("90")})};
    CHECK(result("TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"", modules) == "holds: all 1 modules hold it");
    CHECK(result("TORCH_CUDA_ARCH_LIST=\"8.0;8.6;9.0\"", modules) == "contradicted: SASS 86 is missing from 1 of 1 modules");
}

TEST_CASE("a name in a sentence may mean the GPU, and is contradicted where that runs nothing") {
    const std::vector<Module> modules{registered({sass("80"), sass("90")})};
    CHECK(result("for sm_80 and sm_90", modules) == "holds: all 1 modules hold it");
    CHECK(result("for sm_80 and sm_86", modules) == "unknown: SASS 86 is missing from 1 of 1 modules; everything runs on 8.0, 8.6");
    CHECK(result("for sm_80 and sm_75", modules) == "contradicted: SASS 75 is missing from 1 of 1 modules");
}

TEST_CASE("capabilities are about GPUs") {
    const std::vector<Module> without_ptx{registered({sass("80"), sass("90")})};
    const std::vector<Module> with_ptx{registered({sass("80"), sass("90"), ptx("90")})};
    const std::vector<Module> uneven{registered({sass("80"), sass("90")}), registered({sass("80")})};
    CHECK(result("compute capabilities 8.0, 8.6 and 9.0", without_ptx) == "holds: everything runs on 8.0, 8.6, 9.0");
    CHECK(result("compute capability 7.5", without_ptx) == "contradicted: nothing runs on 7.5");
    CHECK(result("compute capability 8.0 or newer", without_ptx).starts_with("contradicted: nothing runs on 10.0"));
    CHECK(result("compute capability 8.0 or newer", with_ptx).starts_with("holds: everything runs on 8.0, 8.6"));
    CHECK(result("compute capability 9.0", uneven) == "unknown: 1 of 2 kernels run on 9.0");
    CHECK(result("compute capability 9.0", {}) == "unknown: ");
    CHECK(result("not for sm_80", without_ptx) == "unknown: not judged, because of the `not`");
}
