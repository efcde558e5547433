// doctor [PATH...]: does what is on this machine fit together, and what to change.
#include "doctor/doctor.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/report_file.hpp"
#include "cli/survey.hpp"
#include "compat/spec.hpp"
#include "input/text_file.hpp"
#include "report/report.hpp"
#include "survey/survey.hpp"

namespace cag {
namespace {

Result<DoctorOptions> options_of(const DoctorCommandOptions& given) {
    DoctorOptions options;
    options.paths = given.input.paths;
    options.pythons = given.pythons;
    options.limits = given.input.limits;
    options.threads = given.input.threads;
    for (const std::string& value : given.gpus) {
        for (const std::string& item : split_list(value)) {
            const auto gpu = parse_gpu(item);
            if (!gpu) {
                return tl::unexpected(gpu.error());
            }
            options.gpus.push_back(*gpu);
        }
    }
    if (!given.driver.empty()) {
        const auto driver = parse_driver(given.driver);
        if (!driver) {
            return tl::unexpected(driver.error());
        }
        options.driver = *driver;
    }
    return options;
}

int status_of(const Diagnosis& diagnosis) {
    const bool error = !diagnosis.causes.empty() && diagnosis.causes.front().level == Level::error;
    return error ? status_fails : diagnosis.undecided ? status_undecided : status_holds;
}

// What changed since it worked.
int compare(const DoctorCommandOptions& options, const std::string& now) {
    const auto before = text_of_file(options.compare);
    const auto changes = before ? doctor_changes(*before, now) : tl::unexpected(before.error());
    if (!changes) {
        return give_up("doctor", options.output, {changes.error().code, options.compare + ": " + changes.error().message, {}});
    }
    return finish(changes->empty() ? "Nothing has changed since " + options.compare + ".\n" : *changes,
                  changes->empty() ? status_holds : status_fails);
}

} // namespace

int run(const DoctorCommandOptions& options) {
    const auto doctor_options = options_of(options);
    if (!doctor_options) {
        return give_up("doctor", options.output, doctor_options.error());
    }
    auto machine = machine_of(options.root, options.from, false);
    if (!machine) {
        return give_up("doctor", options.output, machine.error());
    }
    if (options.matrix) {
        const auto gpus = doctor_options->gpus.empty() ? gpus_of(*machine) : doctor_options->gpus;
        return finish(options.output.format == Format::json ? matrix_json(gpus) : matrix_text(gpus, style_of(options.output)),
                      status_holds);
    }
    const Host host = options.root.empty() ? this_host() : host_at(options.root);
    const Examination examination = examine(host, std::move(*machine), *doctor_options);
    const Diagnosis diagnosis = diagnose(examination);
    if (!options.compare.empty()) {
        return compare(options, doctor_json(examination, diagnosis));
    }
    if (!options.save.empty()) {
        if (const auto done = write_file(options.save, doctor_json(examination, diagnosis)); !done) {
            return give_up("doctor", options.output, done.error());
        }
        print_note("kept in " + options.save + "; later: cuda-arch-guard doctor --compare " + options.save);
    }
    return finish(options.output.format == Format::json ? doctor_json(examination, diagnosis)
                                                        : doctor_text(examination, diagnosis, style_of(options.output)),
                  status_of(diagnosis));
}

} // namespace cag
