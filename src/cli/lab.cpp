// lab ...: machines that are declared once, what serves them all, and how binaries do there.
#include "lab/lab.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/policy_source.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "cli/survey.hpp"
#include "lab/drift.hpp"
#include "lab/estimate.hpp"
#include "lab/import.hpp"
#include "lab/presets.hpp"
#include "lab/stack.hpp"
#include "report/report.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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
    ImportedMachine imported = surveyed_machine(*machine, options.machine.empty() ? host_name() : options.machine);
    if (options.from.empty()) {
        add_installed(imported, this_host());
    }
    imported.source = options.from.empty() ? "this machine" : options.from;
    if (imported.gpus.empty()) {
        print_note("no GPU was found here: the file has an example in its place; edit it, or name a recorded machine with --from");
        imported.gpus["RTX 3090"] = 1;
        imported.driver = "580";
        imported.sources["gpus"] = imported.sources["driver"] = "an example";
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

Result<std::vector<LabPlace>> places_asked(const LabOptions& options, const Lab& lab) {
    const auto date = day_asked(options.date);
    return date ? places_of(lab, options.machines, *date) : tl::unexpected(date.error());
}

int show(const LabOptions& options, const Lab& lab) {
    const auto places = places_asked(options, lab);
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
    const bool json = options.output.format == Format::json;
    if (options.stack) {
        return finish(json ? lab_stack_json(*places) : lab_stack_text(*places, style_of(options.output)), status_holds);
    }
    LabView view{*places, solve(*places, toolkit), options.size_of, {}};
    bool partial = false;
    if (!options.size_of.empty()) {
        InputOptions input;
        input.paths = {options.size_of};
        const Coverage coverage = read_inputs(input, ScanDepth::payload);
        partial = is_partial(coverage);
        view.sizes = estimated_sizes(coverage, view.solution.list());
    }
    return finish(json ? lab_json(view) : lab_text(view, style_of(options.output)), !view.solution.unserved.empty() ? status_fails
                                                                                    : partial                       ? status_undecided
                                                                                                                    : status_holds);
}

int container(const LabOptions& options, const Lab& lab) {
    const auto places = places_asked(options, lab);
    if (!places) {
        return give_up(options, places.error());
    }
    const auto text = dockerfile(*places, options.lab, options.machines);
    return text ? finish(*text, status_holds) : give_up(options, text.error());
}

int check(const LabOptions& options, const Lab& lab) {
    const auto places = places_asked(options, lab);
    if (!places) {
        return give_up(options, places.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    LabCheckView view{coverage, *places, {}, {}, Verdict::undecided};
    for (const LabPlace& place : *places) {
        const Environment& environment = place.machine->environment;
        view.runs.push_back({place.gpu, place.driver, environment, predict(coverage, place.gpu, place.driver, environment), {}});
        view.results.push_back(result_at(place, view.runs.back().prediction));
    }
    view.verdict = verdict_of(*places, view.results);
    if (view.verdict == Verdict::pass && is_partial(coverage)) {
        view.verdict = Verdict::undecided;
    }
    return finish(options.output.format == Format::json ? lab_check_json(view) : lab_check_text(view, style_of(options.output)),
                  status_of(view.verdict));
}

int presets(const LabOptions& options, const Lab& lab) {
    const auto date = day_asked(options.date);
    if (!date) {
        return give_up(options, date.error());
    }
    const std::filesystem::path written(options.write);
    const std::string lab_path =
        written.has_parent_path() ? std::filesystem::relative(options.lab, written.parent_path()).string() : options.lab;
    const std::string document = lab_presets(lab, lab_path, *date);
    if (options.write.empty()) {
        return finish(document, status_holds);
    }
    if (const auto present = read_text_file(options.write); present && !is_lab_presets(*present)) {
        return give_up(options, {"CAG508",
                                 fmt::format("{0}: expected a file that `lab presets` made, found another one, which stays as it is; write "
                                             "lab-presets.json and name it in the \"include\" of {0}",
                                             options.write),
                                 {}});
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
            {"CAG508", fmt::format("expected the machine `{}` in {}, found none; name another with --machine", name, options.lab), {}});
    }
    const auto surveyed = machine_of("", options.from, false);
    if (!surveyed) {
        return give_up(options, surveyed.error());
    }
    std::vector<std::string> differences = drift_of(*declared, *surveyed);
    if (options.from.empty()) { // a recorded survey knows the GPUs and the driver alone
        const auto missing = drift_of_toolkits(*declared, installed_toolkits(this_host()));
        differences.insert(differences.end(), missing.begin(), missing.end());
    }
    std::string text;
    for (const std::string& difference : differences) {
        text += fmt::format("{}: {}\n", name, difference);
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
    case LabOptions::Action::dockerfile:
        return container(options, *lab);
    case LabOptions::Action::presets:
        return presets(options, *lab);
    case LabOptions::Action::drift:
        return drift(options, *lab);
    default:
        return show(options, *lab);
    }
}

} // namespace cag
