// lab ...: machines that are declared once, what serves them all, and how binaries do there.
#include "lab/lab.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/policy_source.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "cli/survey.hpp"
#include "lab/import.hpp"
#include "lab/presets.hpp"
#include "report/report.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <unistd.h>

namespace cag {
namespace {

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof(name) - 1) == 0 ? name : "machine";
}

int give_up(const LabOptions& options, const Problem& problem) { return cag::give_up("lab", options.output, problem); }

int init(const LabOptions& options) {
    const auto machine = machine_of("", options.from, false);
    if (!machine) {
        return give_up(options, machine.error());
    }
    ImportedMachine imported;
    imported.name = options.machine.empty() ? host_name() : options.machine;
    for (const std::string& gpu : gpu_specs_of(*machine)) {
        ++imported.gpus[gpu];
    }
    imported.driver = driver_spec_of(*machine);
    imported.source = options.from.empty() ? "this machine" : options.from;
    if (imported.gpus.empty()) {
        print_note("no GPU was found here: the file has an example in its place; edit it, or name a recorded machine with --from");
        imported.gpus["RTX 3090"] = 1;
        imported.driver = "580";
    }
    return finish(lab_file({{imported}, {}}, today()), status_holds);
}

int import_documents(const LabOptions& options) {
    std::vector<ImportedMachine> machines;
    for (const std::string& file : options.files) {
        const auto imported = import_file(file);
        if (!imported) {
            return give_up(options, imported.error());
        }
        machines.insert(machines.end(), imported->begin(), imported->end());
    }
    const Merged merged = merge(machines);
    for (const std::string& conflict : merged.conflicts) {
        print_note("conflict: " + conflict);
    }
    return finish(lab_file(merged, today()), merged.conflicts.empty() ? status_holds : status_fails);
}

int show(const LabOptions& options, const Lab& lab) {
    const auto places = places_of(lab, options.machines);
    if (!places) {
        return give_up(options, places.error());
    }
    std::optional<CudaVersion> toolkit;
    if (!options.toolkit.empty()) {
        const auto parsed = parse_toolkit(options.toolkit);
        if (!parsed) {
            return give_up(options, parsed.error());
        }
        toolkit = *parsed;
    }
    const Solution solution = solve(*places, toolkit);
    return finish(options.output.format == Format::json ? lab_json(*places, solution)
                                                        : lab_text(*places, solution, style_of(options.output)),
                  solution.unserved.empty() ? status_holds : status_fails);
}

int check(const LabOptions& options, const Lab& lab) {
    const auto places = places_of(lab, options.machines);
    if (!places) {
        return give_up(options, places.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    std::vector<PredictionRun> runs;
    bool fails = false;
    bool unknown = is_partial(coverage);
    for (const LabPlace& place : *places) {
        runs.push_back({place.gpu, place.driver, {}, predict(coverage, place.gpu, place.driver), {}});
        bool any = false;
        for (const FilePrediction& file : runs.back().prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    any = true;
                    const bool holds = outcome.kind == OutcomeKind::sass || (outcome.kind == OutcomeKind::jit && place.need.jit);
                    const bool counts = place.need.need == Need::must;
                    unknown = unknown || (counts && outcome.kind == OutcomeKind::unknown);
                    fails = fails || (counts && !holds && outcome.kind != OutcomeKind::unknown);
                }
            }
        }
        unknown = unknown || !any;
    }
    const std::string report = options.output.format == Format::json ? predict_json(coverage, runs)
                                                                     : lab_check_text(coverage, *places, runs, style_of(options.output));
    return finish(report, fails ? status_fails : unknown ? status_undecided : status_holds);
}

int presets(const LabOptions& options, const Lab& lab) {
    const std::string document = lab_presets(lab, options.lab);
    if (options.write.empty()) {
        return finish(document, status_holds);
    }
    if (const auto done = write_file(options.write, document); !done) {
        return give_up(options, done.error());
    }
    print_note(fmt::format("wrote {}; name it in your CMakePresets.json: \"include\": [\"{}\"]", options.write, options.write));
    return status_holds;
}

// What differs between a declared machine and the one that was surveyed.
int drift(const LabOptions& options, const Lab& lab) {
    const std::string name = options.machine.empty() ? host_name() : options.machine;
    const auto declared =
        std::find_if(lab.machines.begin(), lab.machines.end(), [&](const LabMachine& machine) { return machine.name == name; });
    if (declared == lab.machines.end()) {
        return give_up(
            options,
            {"CAG530", fmt::format("expected the machine `{}` in {}, found none; name another with --machine", name, options.lab), {}});
    }
    const auto surveyed = machine_of("", options.from, false);
    if (!surveyed) {
        return give_up(options, surveyed.error());
    }
    const auto listed = [](std::vector<std::string> names) {
        std::sort(names.begin(), names.end());
        return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
    };
    std::vector<std::string> wanted;
    for (const LabGpu& entry : declared->gpus) {
        wanted.insert(wanted.end(), entry.count, to_string(entry.gpu.capability));
    }
    std::vector<std::string> found;
    for (const Gpu& gpu : gpus_of(*surveyed)) {
        found.push_back(to_string(gpu.capability));
    }
    std::string text;
    if (listed(wanted) != listed(found)) {
        text += fmt::format("{}: GPUs declared {}, found {}\n", name, listed(wanted), listed(found));
    }
    const auto driver = driver_of(*surveyed);
    if (declared->driver && (!driver || driver->branch != declared->driver->branch)) {
        text += fmt::format("{}: driver declared {}, found {}\n", name, declared->driver->name, driver ? driver->name : "none");
    }
    return finish(text.empty() ? name + ": as declared\n" : text, text.empty() ? status_holds : status_fails);
}

} // namespace

int run(const LabOptions& options) {
    if (options.action == LabOptions::Action::init) {
        return init(options);
    }
    if (options.action == LabOptions::Action::import) {
        return import_documents(options);
    }
    const auto lab = read_lab(options.lab);
    if (!lab) {
        return give_up(options, lab.error());
    }
    switch (options.action) {
    case LabOptions::Action::check:
        return check(options, *lab);
    case LabOptions::Action::presets:
        return presets(options, *lab);
    case LabOptions::Action::drift:
        return drift(options, *lab);
    default:
        return show(options, *lab);
    }
}

} // namespace cag
