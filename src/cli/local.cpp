#include "cli/local.hpp"

#include "cli/output.hpp"
#include "policy/parse.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace cag {
namespace {

// Separates the lists, and says whether one of the items is `local`.
bool separate(std::vector<std::string>& values) {
    std::vector<std::string> items;
    for (const std::string& value : values) {
        const auto parts = split_list(value);
        items.insert(items.end(), parts.begin(), parts.end());
    }
    values = std::move(items);
    return std::find(values.begin(), values.end(), "local") != values.end();
}

void replace(std::vector<std::string>& items, const std::vector<std::string>& found) {
    for (auto item = std::find(items.begin(), items.end(), "local"); item != items.end();
         item = std::find(items.begin(), items.end(), "local")) {
        items.insert(items.erase(item), found.begin(), found.end());
    }
}

tl::unexpected<Problem> nothing_local(const char* what, const Machine& machine) {
    std::vector<std::string> reasons;
    for (const MethodAnswer& answer : machine.answers) {
        if (answer.asked && !answer.problem.empty()) {
            reasons.push_back(fmt::format("{}: {}", to_string(answer.method), answer.problem));
        }
    }
    return failure(
        "CAG501", fmt::format("expected {} on this machine for `local`, found none{}{}; name it instead, or see `cuda-arch-guard survey`",
                              what, reasons.empty() ? "" : " (" + fmt::format("{}", fmt::join(reasons, "; ")), reasons.empty() ? "" : ")"));
}

} // namespace

Result<void> replace_local(std::vector<std::string>& gpus, std::vector<std::string>& drivers) {
    const bool local_gpu = separate(gpus);
    const bool local_driver = separate(drivers);
    if (!local_gpu && !local_driver) {
        return {};
    }
    const Machine machine = survey(this_host());
    if (local_gpu) {
        const auto specs = gpu_specs_of(machine);
        const bool all_known =
            std::all_of(machine.gpus.begin(), machine.gpus.end(), [](const MachineGpu& gpu) { return gpu.capability.has_value(); });
        if (specs.empty() || !all_known) {
            return nothing_local("GPUs of known compute capability", machine);
        }
        replace(gpus, specs);
        print_note(fmt::format("local GPUs: {}", fmt::join(specs, ", ")));
    }
    if (local_driver) {
        const std::string spec = driver_spec_of(machine);
        if (spec.empty()) {
            return nothing_local("a driver", machine);
        }
        replace(drivers, {spec});
        print_note("local driver: " + spec);
    }
    return {};
}

} // namespace cag
