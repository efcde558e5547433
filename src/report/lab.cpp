// A lab for people and for programs: what its machines run, the smallest list of images for them, and how binaries do there.
#include "data/tables.hpp"
#include "report/json_model.hpp"
#include "report/predict_causes.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {
namespace {

using nlohmann::ordered_json;

std::string names_of(const std::vector<const LabPlace*>& places) {
    std::vector<std::string> names;
    for (const LabPlace* place : places) {
        if (std::find(names.begin(), names.end(), place->machine->name) == names.end()) {
            names.push_back(place->machine->name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string place_text(const LabPlace& place) {
    return fmt::format(
        "{}{}, driver {} (CUDA {}, PTX up to {})", to_string(place.gpu.capability),
        data::architecture_of(place.gpu.capability).empty() ? "" : fmt::format(" {}", data::architecture_of(place.gpu.capability)),
        place.driver.name, to_string(place.driver.cuda), to_string(place.driver.max_ptx));
}

std::string need_text(const MachineNeed& need) {
    return std::string(need.need == Need::must ? "must run" : "should run") + (need.jit ? "" : ", no JIT");
}

// What the next driver or toolkit takes away.
std::vector<std::string> outlook_of(const std::vector<LabPlace>& places) {
    std::vector<std::string> texts;
    for (const LabPlace& place : places) {
        const Driver last = newest_driver_for(place.gpu);
        const auto toolkits = data::toolkits_building({place.gpu.capability.major, place.gpu.capability.minor, Variant::plain});
        if (last.branch < data::driver_branches().back().branch) {
            texts.push_back(
                fmt::format("{}: R{} is the last driver for {}", place.machine->name, last.branch, to_string(place.gpu.capability)));
        }
        if (toolkits && toolkits->last < data::toolkits().back().release) {
            texts.push_back(fmt::format("{}: CUDA {} is the last toolkit that compiles for {}", place.machine->name,
                                        to_string(toolkits->last), to_string(place.gpu.capability)));
        }
    }
    return texts;
}

std::string entry_text(const SolvedTarget& solved) {
    std::vector<std::string> parts;
    if (!solved.native.empty()) {
        parts.push_back("native on " + names_of(solved.native));
    } else if (solved.target.code == Code::ptx) {
        parts.emplace_back("for GPUs still to come");
    }
    if (!solved.lost.empty()) {
        parts.push_back("without it nothing runs on " + names_of(solved.lost));
    }
    if (!solved.slower.empty()) {
        parts.push_back("without it PTX is compiled on " + names_of(solved.slower));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string flags_of(const Solution& solution, GencodeStyle style) {
    const auto flags = gencode_flags({solution.list(), {}}, style, solution.toolkit);
    return flags ? flags->text : flags.error().message;
}

// Per place: the worst outcome, and how many kernels have it.
struct PlaceResult {
    OutcomeKind worst = OutcomeKind::sass;
    std::size_t kernels = 0;
    std::size_t with_worst = 0;
};

PlaceResult result_of(const PredictionRun& run) {
    const auto badness = [](OutcomeKind kind) {
        return kind == OutcomeKind::fails ? 3 : kind == OutcomeKind::unknown ? 2 : kind == OutcomeKind::jit ? 1 : 0;
    };
    PlaceResult result;
    for (const FilePrediction& file : run.prediction.files) {
        for (const ModulePrediction& module : file.modules) {
            for (const Outcome& outcome : module.outcomes) {
                ++result.kernels;
                if (badness(outcome.kind) > badness(result.worst)) {
                    result.worst = outcome.kind;
                    result.with_worst = 0;
                }
                result.with_worst += outcome.kind == result.worst ? 1U : 0U;
            }
        }
    }
    return result;
}

const char* phrase(OutcomeKind kind) {
    return kind == OutcomeKind::fails     ? "fail"
           : kind == OutcomeKind::unknown ? "not known"
           : kind == OutcomeKind::jit     ? "run by compiling PTX"
                                          : "run";
}

const Mark& mark_of(const PlaceResult& result, const MachineNeed& need) {
    switch (result.worst) {
    case OutcomeKind::sass:
        return marks::sass;
    case OutcomeKind::jit:
        return need.jit ? marks::ptx : marks::fails;
    case OutcomeKind::fails:
        return marks::fails;
    case OutcomeKind::unknown:
        break;
    }
    return marks::unknown;
}

} // namespace

std::string lab_text(const std::vector<LabPlace>& places, const Solution& solution, const Style& style) {
    std::string text = paint(style, Ink::strong, "machines") + '\n';
    for (const LabPlace& place : places) {
        text += wrapped(style, fmt::format("  {}  ", place.machine->name),
                        printable(fmt::format("{}{}; {}", place.machine->count > 1 ? fmt::format("{} of them, ", place.machine->count) : "",
                                              place_text(place), need_text(place.need))));
    }
    text += '\n' + paint(style, Ink::strong, fmt::format("the smallest list, with CUDA {}", to_string(solution.toolkit))) + '\n';
    for (const SolvedTarget& solved : solution.targets) {
        text += wrapped(style, fmt::format("  {}  ", to_string(solved.target)), printable(entry_text(solved)));
    }
    for (const auto& [place, why] : solution.unserved) {
        text += wrapped(style, fmt::format("  {} {}  ", marks::fails.painted(style), place->machine->name),
                        printable("no list serves it with the others: " + why));
    }
    text += fmt::format("\n  nvcc:   {}\n  CMake:  {}\n  torch:  {}\n", flags_of(solution, GencodeStyle::nvcc),
                        flags_of(solution, GencodeStyle::cmake), flags_of(solution, GencodeStyle::torch));
    const auto outlook = outlook_of(places);
    if (!outlook.empty()) {
        text += '\n' + paint(style, Ink::strong, "what newer drivers and toolkits take away") + '\n';
        for (const std::string& line : outlook) {
            text += wrapped(style, "  ", printable(line));
        }
    }
    return text;
}

std::string lab_json(const std::vector<LabPlace>& places, const Solution& solution) {
    ordered_json document = json_envelope("lab");
    document["places"] = ordered_json::array();
    for (const LabPlace& place : places) {
        document["places"].push_back({{"machine", place.machine->name},
                                      {"gpu", to_string(place.gpu.capability)},
                                      {"driver", place.driver.name},
                                      {"must", place.need.need == Need::must},
                                      {"jit", place.need.jit}});
    }
    document["toolkit"] = to_string(solution.toolkit);
    document["targets"] = ordered_json::array();
    for (const SolvedTarget& solved : solution.targets) {
        document["targets"].push_back(to_string(solved.target));
    }
    document["unserved"] = ordered_json::array();
    for (const auto& [place, why] : solution.unserved) {
        document["unserved"].push_back({{"machine", place->machine->name}, {"reason", why}});
    }
    document["flags"] = {{"nvcc", flags_of(solution, GencodeStyle::nvcc)}, {"cmake", flags_of(solution, GencodeStyle::cmake)}};
    return json_text(document);
}

std::string lab_check_text(const Coverage& coverage, const std::vector<LabPlace>& places, const std::vector<PredictionRun>& runs,
                           const Style& style) {
    std::string text;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const PlaceResult result = result_of(runs[i]);
        const Mark& mark = result.kernels == 0 ? marks::unknown : mark_of(result, places[i].need);
        const std::string what =
            result.kernels == 0 ? "no device code"
                                : fmt::format("{} of {} {}", result.with_worst, counted(result.kernels, "kernel"), phrase(result.worst));
        text += wrapped(style, fmt::format("{} {}  ", mark.painted(style), places[i].machine->name),
                        printable(fmt::format("{}, driver {}: {}{}", to_string(places[i].gpu.capability), places[i].driver.name, what,
                                              places[i].need.need == Need::should ? " (should run)" : "")));
    }
    text += '\n';
    for (const OutcomeKind kind : {OutcomeKind::fails, OutcomeKind::unknown}) {
        for (const Cause& cause : causes_of(runs, kind)) {
            text += cause_text(coverage, runs, cause, style);
        }
    }
    return text;
}

} // namespace cag
