// survey: which GPUs and which driver this machine has, by several methods.
#include "cli/survey.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/report.hpp"
#include "survey/survey.hpp"

#include <algorithm>

namespace cag {
namespace {

int status_of(const Machine& machine) {
    const auto is_wrong = [](const SurveyNote& note) { return note.wrong; };
    const auto is_unknown = [](const MachineGpu& gpu) { return !gpu.capability; };
    return std::any_of(machine.notes.begin(), machine.notes.end(), is_wrong)   ? status_fails
           : std::any_of(machine.gpus.begin(), machine.gpus.end(), is_unknown) ? status_undecided
                                                                               : status_holds;
}

} // namespace

Result<Machine> machine_of(const std::string& root, const std::string& from, bool probe) {
    if (!from.empty()) {
        return recorded_machine(from);
    }
    const Host host = root.empty() ? this_host() : host_at(root);
    if (!is_folder(host, "/")) {
        return failure("CAG408", "expected a folder for --root, found none at " + root);
    }
    return survey(host, {probe});
}

int run(const SurveyCommandOptions& options) {
    const auto machine = machine_of(options.root, options.from, options.probe);
    if (!machine) {
        return give_up("survey", options.output, machine.error());
    }
    return finish(options.output.format == Format::json ? survey_json(*machine) : survey_text(*machine, style_of(options.output)),
                  status_of(*machine));
}

} // namespace cag
