// `survey` as text and as JSON: the GPUs, who says what, why answers differ, and the lists to paste into a build.
#include "arch/spec.hpp"
#include "report/json_model.hpp"
#include "report/report.hpp"
#include "report/table.hpp"
#include "survey/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cag {
namespace {

// Where a list is wanted: the name of the setting, and the style that writes it.
struct Paste {
    const char* key;
    const char* setting;
    GencodeStyle style;
};

constexpr std::array<Paste, 4> pastes{{{"cmake", "CMAKE_CUDA_ARCHITECTURES", GencodeStyle::cmake},
                                       {"torch", "TORCH_CUDA_ARCH_LIST", GencodeStyle::torch},
                                       {"tensorflow", "HERMETIC_CUDA_COMPUTE_CAPABILITIES", GencodeStyle::tensorflow},
                                       {"nvcc", "nvcc", GencodeStyle::nvcc}}};

// SASS for every GPU here, and PTX of the highest for those to come.
std::vector<std::pair<const Paste*, std::string>> build_lists(const Machine& machine) {
    std::set<ComputeCapability> capabilities;
    for (const MachineGpu& gpu : machine.gpus) {
        if (gpu.capability && !gpu.emulated) {
            capabilities.insert(gpu.capability->value);
        }
    }
    std::vector<std::string> specs;
    std::transform(capabilities.begin(), capabilities.end(), std::back_inserter(specs),
                   [](ComputeCapability item) { return to_string(item); });
    std::vector<std::pair<const Paste*, std::string>> lists;
    if (specs.empty()) {
        return lists;
    }
    specs.back() += "+PTX";
    const auto archs = parse_arch_list(fmt::format("{}", fmt::join(specs, ";")));
    for (const Paste& paste : pastes) {
        if (const auto flags = archs ? gencode_flags(*archs, paste.style) : tl::unexpected(archs.error())) {
            lists.emplace_back(&paste, flags->text);
        }
    }
    return lists;
}

std::string gpu_table(const Machine& machine, const Style& style) {
    std::vector<TableRow> rows{{"GPU", "name", "capability", "memory", "PCI", "UUID"}};
    const auto text = [](const auto& fact) { return fact ? printable(fact->value) : std::string("?"); };
    for (const MachineGpu& gpu : machine.gpus) {
        rows.push_back({std::to_string(gpu.index), text(gpu.name) + (gpu.mig ? " (MIG)" : ""),
                        gpu.capability ? to_string(gpu.capability->value) : "?", gpu.memory ? byte_size(gpu.memory->value) : "?",
                        text(gpu.pci_bus_id), text(gpu.uuid)});
    }
    return table_text(style, rows);
}

// "2 GPUs: 9.0, 8.6"
std::string said_by(const MethodAnswer& answer) {
    if (answer.gpus.empty()) {
        return !answer.problem.empty() ? answer.problem : answer.asked ? "no NVIDIA GPU" : "not asked";
    }
    std::vector<std::string> capabilities;
    for (const Sighting& gpu : answer.gpus) {
        if (gpu.capability) {
            capabilities.push_back(to_string(*gpu.capability));
        }
    }
    // __nvcc_device_query names each architecture once, however many GPUs have it.
    std::string text = answer.method == Method::device_query ? "" : counted(answer.gpus.size(), "GPU") + (capabilities.empty() ? "" : ", ");
    if (!capabilities.empty()) {
        text += fmt::format("compute capability {}", fmt::join(capabilities, ", "));
    }
    if (!answer.driver_version.empty()) {
        text += ", driver " + answer.driver_version;
    }
    return text + (answer.cuda ? ", CUDA up to " + to_string(*answer.cuda) : "");
}

std::string methods_text(const Machine& machine, const Style& style) {
    std::string text = paint(style, Ink::strong, "Asked") + '\n';
    for (const MethodAnswer& answer : machine.answers) {
        if (answer.asked || !answer.problem.empty()) {
            text += wrapped(style, fmt::format("  {}", fit(style, to_string(answer.method), 14)), printable(said_by(answer)));
        }
    }
    return text;
}

std::string notes_text(const Machine& machine, const Style& style) {
    if (machine.notes.empty()) {
        return machine.gpus.empty() ? "" : "What they say agrees.\n";
    }
    std::string text;
    for (const SurveyNote& note : machine.notes) {
        text += wrapped(style, (note.wrong ? marks::fails : marks::note).painted(style) + " ", printable(note.message));
        if (!note.fix.empty()) {
            text += wrapped(style, "  fix: ", printable(note.fix));
        }
    }
    return text;
}

std::string driver_text(const MachineDriver& driver) {
    if (driver.version.empty()) {
        return driver.cuda ? "driver that supports CUDA up to " + to_string(*driver.cuda) : "no driver found";
    }
    return fmt::format("driver {}{}{}", driver.version, driver.cuda ? " (supports CUDA up to " + to_string(*driver.cuda) + ")" : "",
                       driver.flavour == ModuleFlavour::unknown ? "" : fmt::format(", {} kernel module", to_string(driver.flavour)));
}

} // namespace

std::string survey_text(const Machine& machine, const Style& style) {
    const std::string where = machine.recorded.empty() ? "on this machine" : "in " + machine.recorded;
    std::string text = machine.gpus.empty() ? fmt::format("No NVIDIA GPU {}; {}.\n", where, driver_text(machine.driver))
                                            : fmt::format("{} {}, {}.\n\n{}", counted(machine.gpus.size(), "NVIDIA GPU"), where,
                                                          driver_text(machine.driver), gpu_table(machine, style));
    text = printable(text.substr(0, text.find('\n'))) + text.substr(text.find('\n'));
    text += '\n' + methods_text(machine, style) + '\n' + notes_text(machine, style);
    const auto lists = build_lists(machine);
    if (!lists.empty()) {
        text += '\n' + paint(style, Ink::strong, "To build for these GPUs, and by PTX for later ones") + '\n';
    }
    for (const auto& [paste, list] : lists) {
        const bool is_flags = paste->style == GencodeStyle::nvcc;
        text += fmt::format("  {}{}{}\n", paste->setting, is_flags ? " " : "=", is_flags ? list : '"' + list + '"');
    }
    return text;
}

std::string survey_json(const Machine& machine) {
    nlohmann::ordered_json document = json_envelope("survey");
    document["machine"] = to_json(machine);
    document["build_lists"] = nlohmann::ordered_json::object();
    for (const auto& [paste, list] : build_lists(machine)) {
        document["build_lists"][paste->key] = list;
    }
    return json_text(document);
}

} // namespace cag
