// The grammar's cases lie in tests/data/arch_specs.json: the CMake modules are tested with the same file.
#include "arch/spec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace cag;
using Json = nlohmann::json;

namespace {

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

std::string in_style(const ArchList& list, GencodeStyle style) { return gencode_flags(list, style).value().text; }

void check(const Json& item) {
    ArchSpecOptions options;
    options.toolkit = parse_toolkit(item.at("toolkit").get<std::string>()).value();
    for (const auto& capability : item.value("local", Json::array())) {
        options.local_gpus.push_back(parse_capability(capability.get<std::string>()).value());
    }
    options.drop_unsupported = item.value("on_unsupported", "") == "drop";
    const auto list = parse_arch_list(item.at("spec").get<std::string>(), options);
    if (item.contains("refused")) {
        REQUIRE_FALSE(list);
        for (const auto& text : item.at("refused")) {
            CHECK(lower_case(list.error().message).find(lower_case(text.get<std::string>())) != std::string::npos);
        }
        return;
    }
    REQUIRE(list);
    CHECK(in_style(*list, GencodeStyle::cmake) == item.at("cmake").get<std::string>());
    if (item.contains("dropped")) {
        CHECK_FALSE(list->notes.empty());
    }
    if (item.contains("nvcc")) {
        CHECK(in_style(*list, GencodeStyle::nvcc) == item.at("nvcc").get<std::string>());
    }
    if (item.contains("torch") && item.at("torch").is_string()) {
        CHECK(in_style(*list, GencodeStyle::torch) == item.at("torch").get<std::string>());
    }
}

} // namespace

TEST_CASE("every spelling of the shared table means what the table says") {
    std::ifstream file(CAG_TEST_DATA "/arch_specs.json");
    const Json table = Json::parse(file);
    REQUIRE(table.at("cases").size() > 50);
    for (const auto& item : table.at("cases")) {
        CAPTURE(item.dump());
        check(item);
    }
}

TEST_CASE("TensorFlow's list: sm_ is SASS only, compute_ is both") {
    CHECK(in_style(parse_arch_list("80-real;90").value(), GencodeStyle::tensorflow) == "sm_80,compute_90");
}

TEST_CASE("clang embeds the PTX that was asked for and no other") {
    CHECK(in_style(parse_arch_list("80-real;90").value(), GencodeStyle::clang) ==
          "--cuda-gpu-arch=sm_80 --cuda-gpu-arch=sm_90 --no-cuda-include-ptx=all --cuda-include-ptx=sm_90");
}

TEST_CASE("a style that cannot ask for PTX alone says so") {
    const auto list = parse_arch_list("86-virtual").value();
    const auto torch = gencode_flags(list, GencodeStyle::torch, CudaVersion{13, 0});
    REQUIRE(torch);
    CHECK(torch->text == "8.6+PTX");
    REQUIRE(torch->notes.size() == 1);
    CHECK(torch->notes[0].find("SASS of 86 is built too") != std::string::npos);
}

TEST_CASE("without a toolkit the toolkits that can build the list are named") {
    const auto note = [](const char* specs) {
        return gencode_flags(parse_arch_list(specs).value(), GencodeStyle::nvcc).value().notes.at(0);
    };
    CHECK(note("61;120") == "built by CUDA 12.8 to 12.9 only");
    CHECK(note("110") == "built by CUDA 13.0 and newer");
    CHECK(note("30;120").find("no toolkit builds all of these") == 0);
}

TEST_CASE("flags for a toolkit that cannot build a target are refused") {
    const auto flags = gencode_flags(parse_arch_list("61").value(), GencodeStyle::nvcc, CudaVersion{13, 0});
    REQUIRE_FALSE(flags);
    CHECK(flags.error().code == "CAG504");
    CHECK(flags.error().message.find("CUDA 9.0 to 12.9") != std::string::npos);
}

TEST_CASE("an unknown toolkit is refused with the known ones") {
    CHECK(parse_toolkit("13.0.88") == CudaVersion{13, 0});
    const auto unknown = parse_toolkit("12.7"); // a driver's CUDA version that never was a toolkit
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == "CAG504");
    CHECK(unknown.error().message.find("12.6 12.8") != std::string::npos);
    CHECK_FALSE(parse_toolkit("13"));
    CHECK_FALSE(parse_toolkit("13.01"));
}

TEST_CASE("a lab's machine is refused where no lab file is read") {
    const auto list = parse_arch_list("lab:node1");
    REQUIRE_FALSE(list);
    CHECK(list.error().code == "CAG501");
}
