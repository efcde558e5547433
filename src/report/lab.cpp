// A lab for people and for programs: what its machines run, the smallest list of images for them, and how binaries do there.
#include "data/tables.hpp"
#include "lab/outlook.hpp"
#include "lab/stack.hpp"
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

std::vector<std::string> native_names(const LabPlace& place, const Solution& solution) {
    std::vector<std::string> names;
    for (const Arch arch : natives_of(place, solution.toolkit)) {
        names.push_back(to_string(Target{arch, Code::sass}));
    }
    return names;
}

std::string natives_text(const LabPlace& place, const Solution& solution) {
    const auto names = native_names(place, solution);
    return names.empty() ? "no SASS of this toolkit" : fmt::format("runs {} natively", fmt::join(names, ", "));
}

std::string place_text(const LabPlace& place) {
    return fmt::format(
        "{}{}, driver {} (CUDA {}, PTX up to {})", to_string(place.gpu.capability),
        data::architecture_of(place.gpu.capability).empty() ? "" : fmt::format(" {}", data::architecture_of(place.gpu.capability)),
        place.driver.name, to_string(place.driver.cuda), to_string(place.driver.max_ptx));
}

std::string need_text(const LabPlace& place) {
    const std::string when = place.not_yet ? fmt::format(" from {} on", place.machine->from) : "";
    return (place.need.need == Need::must ? "must run" : "should run") + when + (place.need.jit ? "" : ", no JIT");
}

std::string entry_text(const SolvedTarget& solved, const std::optional<std::uint64_t>& size) {
    std::vector<std::string> parts;
    if (size) {
        parts.push_back("about " + byte_size(*size));
    }
    if (!solved.native.empty()) {
        parts.push_back("native on " + names_of(solved.native));
    }
    if (solved.reserve) {
        parts.emplace_back("a reserve for GPUs still to come: no machine here needs it");
    }
    if (!solved.lost.empty()) {
        parts.push_back("without it nothing runs on " + names_of(solved.lost));
    }
    if (!solved.slower.empty()) {
        parts.push_back("without it PTX is compiled on " + names_of(solved.slower));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::optional<std::uint64_t> size_at(const LabView& view, std::size_t target) {
    return target < view.sizes.size() ? view.sizes[target] : std::nullopt;
}

std::string size_text(const LabView& view) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < view.sizes.size(); ++i) {
        if (!view.sizes[i]) {
            return fmt::format("{} tells nothing of the size of {}: it has no such images", view.size_of,
                               to_string(view.solution.targets[i].target));
        }
        sum += *view.sizes[i];
    }
    return fmt::format("device code of about {} in all, by the images of {}", byte_size(sum), view.size_of);
}

std::string flags_of(const Solution& solution, GencodeStyle style) {
    const auto flags = gencode_flags({solution.list(), {}}, style, solution.toolkit);
    return flags ? flags->text : flags.error().message;
}

// Machines that say which toolkits they have, and lack the one that the list is for.
std::vector<const LabMachine*> machines_without(CudaVersion toolkit, const std::vector<LabPlace>& places) {
    std::vector<const LabMachine*> machines;
    for (const LabPlace& place : places) {
        const auto& own = place.machine->toolkits;
        const bool lacks = !own.empty() && std::find(own.begin(), own.end(), toolkit) == own.end();
        if (lacks && std::find(machines.begin(), machines.end(), place.machine) == machines.end()) {
            machines.push_back(place.machine);
        }
    }
    return machines;
}

std::string toolkit_text(const LabMachine& machine) {
    std::vector<std::string> releases;
    for (const CudaVersion toolkit : machine.toolkits) {
        releases.push_back(to_string(toolkit));
    }
    return fmt::format("has CUDA {}: build for it elsewhere, or see what that makes with --toolkit {}", fmt::join(releases, ", "),
                       releases.back());
}

const char* phrase(OutcomeKind kind) {
    return kind == OutcomeKind::fails     ? "fail"
           : kind == OutcomeKind::unknown ? "not known"
           : kind == OutcomeKind::jit     ? "run by compiling PTX"
                                          : "run";
}

// What the kernels' outcome leaves out.
std::string note_on(const Coverage& coverage, const LabPlace& place) {
    std::vector<std::string> notes;
    if (place.not_yet) {
        notes.push_back("from " + place.machine->from + " on");
    } else if (place.need.need == Need::should) {
        notes.emplace_back("should run");
    }
    const bool for_x86 = std::any_of(coverage.files.begin(), coverage.files.end(), [](const FileCoverage& file) {
        return file.machine == "x86_64" && file.role == FileRole::loadable && !file.modules.empty();
    });
    if (for_x86 && is_arm_only(place.gpu)) {
        notes.emplace_back("the host code is for x86_64, and this GPU sits beside an Arm processor: it takes an Arm build");
    }
    return notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "));
}

const Mark& mark_of(const PlaceResult& result) {
    return result.verdict == Verdict::fail        ? marks::fails
           : result.verdict == Verdict::undecided ? marks::unknown
           : result.worst == OutcomeKind::jit     ? marks::ptx
                                                  : marks::sass;
}

std::string phrase(const PlaceResult& result) {
    return result.kernels == 0 ? "no device code"
                               : fmt::format("{} of {} {}", result.with_worst, counted(result.kernels, "kernel"), phrase(result.worst));
}

} // namespace

std::string lab_text(const LabView& view, const Style& style) {
    const Solution& solution = view.solution;
    std::string text = paint(style, Ink::strong, "machines") + '\n';
    for (const LabPlace& place : view.places) {
        text +=
            wrapped(style, fmt::format("  {}  ", place.machine->name),
                    printable(fmt::format("{}{}; {}; {}", place.machine->count > 1 ? fmt::format("{} of them, ", place.machine->count) : "",
                                          place_text(place), natives_text(place, solution), need_text(place))));
    }
    text += '\n' + paint(style, Ink::strong, fmt::format("the smallest list, with CUDA {}", to_string(solution.toolkit))) + '\n';
    for (std::size_t i = 0; i < solution.targets.size(); ++i) {
        text += wrapped(style, fmt::format("  {}  ", to_string(solution.targets[i].target)),
                        printable(entry_text(solution.targets[i], size_at(view, i))));
    }
    for (const LabMachine* machine : machines_without(solution.toolkit, view.places)) {
        text += wrapped(style, fmt::format("  {}  ", machine->name), toolkit_text(*machine));
    }
    for (const auto& [place, why] : solution.unserved) {
        text += wrapped(style, fmt::format("  {} {}  ", marks::fails.painted(style), place->machine->name),
                        printable("no list serves it with the others: " + why));
    }
    if (!view.sizes.empty()) {
        text += wrapped(style, "  ", printable(size_text(view)));
    }
    text += fmt::format("\n  nvcc:   {}\n  CMake:  {}\n  torch:  {}\n", flags_of(solution, GencodeStyle::nvcc),
                        flags_of(solution, GencodeStyle::cmake), flags_of(solution, GencodeStyle::torch));
    const auto losses = losses_next(view.places, solution);
    if (!losses.empty()) {
        text += '\n' + paint(style, Ink::strong, "what the next driver or toolkit takes away") + '\n';
        for (const Loss& loss : losses) {
            text += wrapped(style, fmt::format("  {}  ", loss.place->machine->name), printable(fmt::format("{}: {}", loss.what, loss.why)));
        }
    }
    return text;
}

std::string lab_json(const LabView& view) {
    const Solution& solution = view.solution;
    ordered_json document = json_envelope("lab");
    document["places"] = ordered_json::array();
    for (const LabPlace& place : view.places) {
        document["places"].push_back({{"machine", place.machine->name},
                                      {"gpu", to_string(place.gpu.capability)},
                                      {"driver", place.driver.name},
                                      {"max_ptx_isa", to_string(place.driver.max_ptx)},
                                      {"native", native_names(place, solution)},
                                      {"must", place.need.need == Need::must},
                                      {"jit", place.need.jit},
                                      {"not_yet", place.not_yet}});
    }
    document["toolkit"] = to_string(solution.toolkit);
    const auto names = [](const std::vector<const LabPlace*>& places) {
        ordered_json list = ordered_json::array();
        for (const LabPlace* place : places) {
            list.push_back(place->machine->name);
        }
        return list;
    };
    document["machines_without_toolkit"] = ordered_json::array();
    for (const LabMachine* machine : machines_without(solution.toolkit, view.places)) {
        document["machines_without_toolkit"].push_back(machine->name);
    }
    document["targets"] = ordered_json::array();
    document["entries"] = ordered_json::array();
    for (std::size_t i = 0; i < solution.targets.size(); ++i) {
        const SolvedTarget& solved = solution.targets[i];
        const auto size = size_at(view, i);
        document["targets"].push_back(to_string(solved.target));
        document["entries"].push_back({{"target", to_string(solved.target)},
                                       {"native", names(solved.native)},
                                       {"lost_without", names(solved.lost)},
                                       {"slower_without", names(solved.slower)},
                                       {"reserve", solved.reserve},
                                       {"size", size ? ordered_json(*size) : ordered_json(nullptr)}});
    }
    document["unserved"] = ordered_json::array();
    for (const auto& [place, why] : solution.unserved) {
        document["unserved"].push_back({{"machine", place->machine->name}, {"reason", why}});
    }
    document["losses"] = ordered_json::array();
    for (const Loss& loss : losses_next(view.places, solution)) {
        document["losses"].push_back({{"with", loss.what}, {"machine", loss.place->machine->name}, {"reason", loss.why}});
    }
    document["flags"] = {{"nvcc", flags_of(solution, GencodeStyle::nvcc)}, {"cmake", flags_of(solution, GencodeStyle::cmake)}};
    return json_text(document);
}

std::string lab_stack_text(const std::vector<LabPlace>& places, const Style& style) {
    std::string text;
    for (const LabPlace& place : places) {
        text += (text.empty() ? "" : "\n") + paint(style, Ink::strong, printable(place.machine->name)) +
                fmt::format("  {}, driver {}\n", to_string(place.gpu.capability), place.driver.name);
        const auto list = newest_fitting(place);
        const bool wheels = std::any_of(list.begin(), list.end(), [](const Fitting& fitting) { return !fitting.container; });
        if (!wheels) {
            text += "  no published wheel in the tables fits: build from source\n";
        } else if (is_arm_only(place.gpu)) {
            text += "  (known from x86-64 builds: take the Arm build of the same version)\n";
        }
        for (const Fitting& fitting : list) {
            text += wrapped(style, "  ",
                            fmt::format("{}{}{} (CUDA {}): {}", fitting.name, fitting.container ? ":" : " ", fitting.version, fitting.cuda,
                                        fitting.how));
        }
    }
    return text;
}

std::string lab_stack_json(const std::vector<LabPlace>& places) {
    ordered_json document = json_envelope("lab");
    document["stack"] = ordered_json::array();
    for (const LabPlace& place : places) {
        ordered_json builds = ordered_json::array();
        for (const Fitting& fitting : newest_fitting(place)) {
            builds.push_back({{"kind", fitting.container ? "container" : "wheel"},
                              {"name", fitting.name},
                              {"version", fitting.version},
                              {"cuda", fitting.cuda},
                              {"how", fitting.how},
                              {"source", fitting.source}});
        }
        document["stack"].push_back({{"machine", place.machine->name},
                                     {"gpu", to_string(place.gpu.capability)},
                                     {"driver", place.driver.name},
                                     {"arm", is_arm_only(place.gpu)},
                                     {"builds", std::move(builds)}});
    }
    return json_text(document);
}

std::string lab_check_text(const LabCheckView& view, const Style& style) {
    std::string text = problems_text(view.coverage, style);
    for (std::size_t i = 0; i < view.places.size(); ++i) {
        const LabPlace& place = view.places[i];
        text += wrapped(style, fmt::format("{} {}  ", mark_of(view.results[i]).painted(style), place.machine->name),
                        printable(fmt::format("{}, driver {}: {}{}", to_string(place.gpu.capability), place.driver.name,
                                              phrase(view.results[i]), note_on(view.coverage, place))));
    }
    text += '\n';
    for (const OutcomeKind kind : {OutcomeKind::fails, OutcomeKind::unknown}) {
        for (const Cause& cause : causes_of(view.runs, kind)) {
            text += cause_text(view.coverage, view.runs, cause, style);
        }
    }
    return text;
}

std::string lab_check_json(const LabCheckView& view) {
    ordered_json document = json_envelope("lab");
    document["verdict"] = to_string(view.verdict);
    document["machines"] = ordered_json::array();
    for (std::size_t i = 0; i < view.places.size(); ++i) {
        const LabPlace& place = view.places[i];
        const PlaceResult& result = view.results[i];
        document["machines"].push_back({{"machine", place.machine->name},
                                        {"gpu", to_string(place.gpu.capability)},
                                        {"driver", place.driver.name},
                                        {"need", place.need.need == Need::must ? "must" : "should"},
                                        {"from", place.not_yet ? ordered_json(place.machine->from) : ordered_json(nullptr)},
                                        {"jit", place.need.jit},
                                        {"verdict", to_string(result.verdict)},
                                        {"kernels", result.kernels},
                                        {"worst", result.kernels == 0 ? ordered_json(nullptr) : ordered_json(to_string(result.worst))},
                                        {"with_worst", result.with_worst},
                                        {"note", note_on(view.coverage, place)}});
    }
    add_predictions(document, view.coverage, view.runs);
    return json_text(document);
}

} // namespace cag
