// What was recorded on an H200 with driver 580, asked about coverages that are made as nvcc would make the files. tests/toolkit builds
// them.
#include "made.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace cag;
using Json = nlohmann::json;

namespace {

Json record() {
    std::ifstream file(CAG_TEST_DATA "/ground_truth/h200_driver_580.json");
    return Json::parse(file);
}

std::vector<std::string> texts(const Json& list) { return list.get<std::vector<std::string>>(); }

std::string kernel_of(const Json& program, const Json& unit) {
    return program.value("shape", "") == "template" ? "template" : unit.at("kernel").get<std::string>();
}

std::vector<Image> images_of(const Json& program, const Json& unit) {
    const std::string number = unit.at("kernel").get<std::string>().substr(1);
    const bool newer = unit.value("toolkit", "13.0") == "13.5";
    std::vector<Image> images;
    for (const std::string& target : texts(unit.at("images"))) {
        Image image = made::image(target, {kernel_of(program, unit)});
        image.relocatable = unit.value("rdc", false);
        if (image.kind == ImageKind::sass) {
            image.toolkit = newer ? "13.5" : "13.0";
        } else {
            image.ptx_isa = newer ? PtxIsa{9, 5} : PtxIsa{9, 0};
        }
        if (image.relocatable) {
            image.functions = {"f" + number};
            for (const int called : unit.value("calls", std::vector<int>())) {
                image.undefined.push_back("f" + std::to_string(called));
            }
        }
        images.push_back(image);
    }
    return images;
}

// nvlink takes SASS of the same major up to its target, else compiles PTX; an object with neither is left out with a warning.
bool links_into(const std::vector<Image>& input, Arch target) {
    return std::any_of(input.begin(), input.end(), [&](const Image& image) {
        return image.arch <= target && (image.kind == ImageKind::ptx || image.arch.major == target.major);
    });
}

std::vector<Image> device_link(const std::vector<std::vector<Image>>& inputs, std::vector<std::string> targets) {
    if (targets.empty()) {
        targets = {"sm_75"}; // nvcc's default
    }
    std::vector<Image> linked;
    for (const std::string& target : targets) {
        if (target.substr(0, 3) == "sm_") {
            std::vector<std::string> kernels;
            for (const auto& input : inputs) {
                if (links_into(input, parse_arch(target).value())) {
                    kernels.push_back(input.front().kernels.front().name);
                }
            }
            linked.push_back(made::image(target, kernels));
        }
    }
    return linked;
}

made::File file_of(const Json& program) {
    made::File file;
    std::vector<std::vector<Image>> inputs;
    for (const Json& unit : program.at("units")) {
        if (unit.value("rdc", false)) {
            inputs.push_back(images_of(program, unit));
        } else {
            file.add(ModuleKind::registered, images_of(program, unit));
        }
    }
    // The host link adds a device-linked container even where there is nothing to link.
    const auto linked =
        file.add(ModuleKind::linked, device_link(inputs, inputs.empty() ? std::vector<std::string>() : texts(program.at("link"))));
    for (auto& input : inputs) {
        file.add(ModuleKind::relocatable, input, linked);
    }
    return file;
}

Environment environment_of(const Json& outcome) {
    const auto text = outcome.at("env").get<std::string>();
    const auto sign = text.find('=');
    return text.empty() ? Environment() : Environment{{text.substr(0, sign), text.substr(sign + 1)}};
}

// The outcome of a unit's kernel; units of a template program have one name, and come in the order of their modules.
const Outcome& outcome_of_unit(const std::vector<Outcome>& outcomes, const Json& program, std::size_t unit) {
    const std::string kernel = kernel_of(program, program.at("units")[unit]);
    std::size_t skip = program.value("shape", "") == "template" ? unit : 0;
    for (const Outcome& outcome : outcomes) {
        if (outcome.kernel == kernel && skip-- == 0) {
            return outcome;
        }
    }
    throw std::runtime_error("no outcome for " + kernel);
}

void check(const Outcome& predicted, const Json& recorded, const made::File& file) {
    const int error = recorded.at("error").get<int>();
    CHECK((predicted.error ? predicted.error->code : 0) == error);
    CHECK((predicted.kind == OutcomeKind::fails) == (error != 0));
    CHECK(predicted.confidence == Confidence::measured);
    CHECK(predicted.error.has_value() == !predicted.fixes.empty());
    if (!recorded.contains("ran")) {
        return;
    }
    REQUIRE(predicted.image);
    const Coverage coverage = file.coverage();
    if (coverage.files.front().modules[predicted.image->module].kind != ModuleKind::linked) { // whose code comes from several images
        CHECK(to_string(predicted.image->arch) == recorded.at("ran").get<std::string>());
    }
}

} // namespace

TEST_CASE("every recorded program is predicted") {
    const Json recorded = record();
    REQUIRE(recorded.at("programs").size() >= 109);
    for (const Json& program : recorded.at("programs")) {
        const made::File file = file_of(program);
        for (const Json& outcome : program.at("outcomes")) {
            CAPTURE(program.at("name"), outcome.at("env"));
            const auto predicted = made::all_outcomes(made::ask(file, "9.0", "580", environment_of(outcome)));
            REQUIRE(predicted.size() == program.at("units").size());
            for (std::size_t unit = 0; unit < predicted.size(); ++unit) {
                CAPTURE(unit);
                check(outcome_of_unit(predicted, program, unit), outcome.at("kernels")[unit], file);
            }
        }
    }
}

// An image of a load: "compute_80", or {"image": "compute_80", "isa": "9.5"}.
Image image_of(const Json& given, const std::string& toolkit) {
    Image image = made::image(given.is_string() ? given.get<std::string>() : given.at("image").get<std::string>());
    if (image.kind == ImageKind::ptx) {
        const auto isa = given.is_object() ? given.at("isa").get<std::string>() : toolkit == "13.5" ? "9.5" : "9.0";
        image.ptx_isa = PtxIsa{static_cast<unsigned>(isa[0] - '0'), static_cast<unsigned>(isa[2] - '0')};
    } else {
        image.toolkit = toolkit;
    }
    return image;
}

TEST_CASE("every recorded load of a file is predicted") {
    const Json recorded = record();
    REQUIRE(recorded.at("loads").size() >= 37);
    for (const Json& load : recorded.at("loads")) {
        made::File file(FileRole::raw, load.at("kind").get<std::string>());
        std::vector<Image> images;
        for (const Json& given : load.at("fatbin")) {
            images.push_back(image_of(given, load.value("toolkit", "13.0")));
        }
        file.add(ModuleKind::raw, std::move(images));
        if (load.contains("damage")) {
            file.get().problems.push_back({"CAG401", "ends early", 4196});
        }
        for (const Json& recorded_outcome : load.at("outcomes")) {
            CAPTURE(load.dump(), recorded_outcome.dump());
            if (recorded_outcome.value("warm_cache", false)) { // JIT is forbidden, and was not needed: no prediction knows the cache
                continue;
            }
            const auto outcome = made::outcome(file, "9.0", "580", environment_of(recorded_outcome));
            CHECK((outcome.error ? outcome.error->code : 0) == recorded_outcome.at("error").get<int>());
            CHECK(outcome.confidence == Confidence::measured);
        }
    }
}
