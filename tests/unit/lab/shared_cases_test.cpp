// tests/data/labs.json: what a lab file means to CMake and to the program.
#include "arch/spec.hpp"
#include "lab/lab.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

using namespace cag;

namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

Texts texts(const Json& item, const char* key) { return item.value(key, Texts{}); }

Texts names(const std::set<ComputeCapability>& capabilities) {
    Texts texts;
    for (const ComputeCapability capability : capabilities) {
        texts.push_back(to_string(capability));
    }
    return texts;
}

void check_refusal(const Json& item, const std::string& message) {
    for (const std::string& part : texts(item, "refused")) {
        CAPTURE(message, part);
        CHECK(lower_case(message).find(lower_case(part)) != std::string::npos);
    }
}

void check_places(const Json& item, const std::vector<LabPlace>& places) {
    Texts machines;
    Texts must;
    std::set<ComputeCapability> all;
    std::set<ComputeCapability> needed;
    for (const LabPlace& place : places) {
        if (machines.empty() || machines.back() != place.machine->name) {
            machines.push_back(place.machine->name);
            if (place.must_run_now()) {
                must.push_back(place.machine->name);
            }
        }
        all.insert(place.gpu.capability);
        if (place.must_run_now()) {
            needed.insert(place.gpu.capability);
        }
    }
    std::set<ComputeCapability> optional;
    std::set_difference(all.begin(), all.end(), needed.begin(), needed.end(), std::inserter(optional, optional.begin()));
    CHECK(machines == texts(item, "machines"));
    CHECK(must == texts(item, "must"));
    CHECK(names(all) == texts(item, "capabilities"));
    CHECK(names(optional) == texts(item, "optional"));
}

// In the spelling of CMAKE_CUDA_ARCHITECTURES, or the message of the refusal.
Result<std::string> resolved(const Json& item, const Lab& lab) {
    ArchSpecOptions options;
    options.toolkit = parse_toolkit(item.at("toolkit").get<std::string>()).value();
    options.lab = [&](std::string_view name) { return lab_gpus(lab, name, item.value("date", "")); };
    const auto list = parse_arch_list(item.at("spec").get<std::string>(), options);
    if (!list) {
        return tl::unexpected(list.error());
    }
    return gencode_flags(*list, GencodeStyle::cmake, options.toolkit)->text;
}

void check(const Json& item, const Json& labs) {
    const Json& given = item.at("lab");
    const bool shared = given.is_string() && labs.contains(given.get<std::string>());
    const auto lab = parse_lab(shared              ? labs.at(given.get<std::string>()).dump()
                               : given.is_string() ? given.get<std::string>()
                                                   : given.dump());
    if (!lab) {
        check_refusal(item, item.contains("refused") ? lab.error().message : "refused: " + lab.error().message);
        CHECK(item.contains("refused"));
    } else if (item.contains("spec")) {
        const auto list = resolved(item, *lab);
        CHECK(list.has_value() != item.contains("refused"));
        if (list) {
            CHECK(*list == item.value("cmake", ""));
        } else {
            check_refusal(item, list.error().message);
        }
    } else {
        const auto places = places_of(*lab, texts(item, "names"), item.value("date", ""));
        CHECK(places.has_value() != item.contains("refused"));
        if (places) {
            check_places(item, *places);
        } else {
            check_refusal(item, places.error().message);
        }
    }
}

} // namespace

TEST_CASE("every case of the shared table of labs means what the table says") {
    std::ifstream file(CAG_TEST_DATA "/labs.json");
    const Json table = Json::parse(file);
    REQUIRE(table.at("cases").size() > 50);
    for (const auto& item : table.at("cases")) {
        CAPTURE(item.dump());
        check(item, table.at("labs"));
    }
}
