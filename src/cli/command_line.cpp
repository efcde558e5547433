// The command line: every command and option.
#include "cli/examples.hpp"
#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "cli/read.hpp"
#include "cli/shared_options.hpp"
#include "report/report.hpp"
#include "support/suggest.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

const std::vector<std::string> shells{"bash", "zsh", "fish"};

// The rows with what completion can offer for arguments.
std::vector<CommandRow> completed_rows(std::vector<CommandRow> rows) {
    for (CommandRow& row : rows) {
        for (OptionRow& option : row.options) {
            if (option.name == "CODE") {
                std::transform(all_codes().begin(), all_codes().end(), std::back_inserter(option.choices),
                               [](const DiagnosticCode& code) { return std::string{code.name}; });
            } else if (option.name == "SHELL") {
                option.choices = shells;
            }
        }
    }
    return rows;
}

// The command that was named: `check` of `policy check`.
const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.front());
}

struct Commands {
    CLI::App app{"Finds missing GPU architectures in CUDA binaries before the driver does."};
    InspectOptions inspect;
    PredictOptions predict;
    VerifyOptions verify;
    DiffOptions diff;
    bool jit_forbidden = false;
    std::string scope = "every";
    GencodeOptions gencode;
    GuardOptions guard;
    LabOptions lab;
    MergeOptions merge;
    RuleOptions rule;
    SurveyCommandOptions survey;
    PolicyCheckOptions policy_check;
    PolicyInitOptions policy_init;
    DoctorCommandOptions doctor;
    ExplainLogOptions explain_log;
    std::string shell;

    // With the options of one command only; an empty name: of all.
    explicit Commands(std::string_view only) {
        app.name("cuda-arch-guard");
        app.footer(examples);
        app.set_version_flag("--version", std::string{"cuda-arch-guard "} + program_version());
        app.require_subcommand(1);

        struct Row {
            const char* name;
            const char* text;
            void (Commands::*add)(CLI::App* command);
        };
        static constexpr Row rows[] = {
            {"inspect", "What is in there: modules, kernels and their architectures", &Commands::add_inspect},
            {"predict", "What happens on a GPU with a driver, kernel by kernel, and what to do", &Commands::add_predict},
            {"verify", "Does it hold what is required: the gate for builds and CI", &Commands::add_verify},
            {"diff", "Which GPUs a new build or release loses or wins, kernel by kernel", &Commands::add_diff},
            {"gencode", "The compiler flags for a list of architectures", &Commands::add_gencode},
            {"survey", "GPUs and driver of this machine by several independent methods, cross-checked", &Commands::add_survey},
            {"guard", "Writes what binaries hold into their runtime guard, or into one for Python", &Commands::add_guard},
            {"doctor", "Do driver, toolkits, frameworks and binaries fit together; what to change", &Commands::add_doctor},
            {"explain-log", "What a failed build's or run's output means, and what to do", &Commands::add_explain_log},
            {"lab", "Machines declared once: what serves them all, and how binaries do there", &Commands::add_lab},
            {"merge", "Joins JSON results: the parts of a run that was spread over machines (--shard)", &Commands::add_merge},
            {"rule", "Explains a diagnostic code", &Commands::add_rule},
            {"policy", "The policy file: is it valid; write one from what is there", &Commands::add_policy},
            {"completion", "Completion of commands and options for a shell", &Commands::add_completion},
            {"manual", "The manual page, for man", &Commands::add_manual},
        };
        for (const Row& row : rows) {
            CLI::App* command = app.add_subcommand(row.name, row.text);
            if (only.empty() || only == row.name) {
                (this->*row.add)(command);
            }
        }
        name_variables(app);
    }

    void add_inspect(CLI::App* command) {
        command->footer(inspect_examples);
        add_input_options(*command, inspect.input);
        add_spread_options(*command, inspect.input);
        command->add_flag("--kernels", inspect.kernels, "A row for each kernel (reads and decompresses all images)");
        command->add_flag("--sizes", inspect.sizes, "Bytes for each architecture");
        command->add_flag(
            "--package", inspect.package,
            "For each package: which GPUs run all, a part or nothing of it, which driver it needs, and whether its claims hold");
        add_claims_from(*command, inspect.input, "--package, and also the lists of architectures in this text");
        add_output_options(*command, inspect.output, {"text", "json", "html", "csv"});
    }

    void add_predict(CLI::App* command) {
        command->footer(predict_examples);
        add_input_options(*command, predict.input);
        add_spread_options(*command, predict.input);
        add_list(*command, "--gpu", predict.gpus, "GPU: 9.0, sm_90, \"RTX 4090\", pci:10de:2330 or local; repeat it or separate by commas",
                 "GPU")
            ->required();
        add_driver_options(*command, predict.drivers, predict.environment);
        command->add_flag("--kernels", predict.kernels, "A row for each kernel");
        add_output_options(*command, predict.output, {"text", "json", "html", "csv"});
    }

    void add_verify(CLI::App* command) {
        command->footer(verify_examples);
        add_input_options(*command, verify.input);
        add_spread_options(*command, verify.input);
        add_list(*command, "--require-sass", verify.requirements.sass, "SASS of exactly this architecture in every module: 80,90a",
                 "ARCH,...");
        add_list(*command, "--require-ptx", verify.requirements.ptx, "PTX of this target or a lower one, usable above it: 90", "ARCH,...");
        add_list(*command, "--runs-on", verify.requirements.runs_on, "Every kernel runs on this GPU: 8.6,\"RTX 5090\"", "GPU,...");
        command->add_flag("--claims", verify.input.claims, "What packages say of themselves (name, metadata, build records) is so");
        add_claims_from(*command, verify.input, "--claims, and also the lists of architectures in this text");
        command->add_option("--lab", verify.lab, "A lab file: every machine that must run it, with its driver")->type_name("FILE");
        add_list(*command, "--machine", verify.machines, "Only this machine or group of the lab; repeat it for more", "NAME");
        command
            ->add_option("--pyproject", verify.pyproject,
                         "Requirements of [tool.cuda-arch-guard] in this pyproject.toml; without requirements, the one in this folder")
            ->type_name("FILE");
        add_driver_options(*command, verify.requirements.drivers, verify.environment);
        command->add_flag("--no-jit", jit_forbidden, "--runs-on needs SASS: compiling PTX at load is not enough");
        allow_only(
            *command->add_option("--scope", scope, "Which modules must hold it: every one, or any (libraries that choose one at run time)"),
            {"every", "any"});
        command->add_flag("--strict", verify.strict, "Modules with only `a` or `f` images must hold it as well");
        command->add_flag("--allow-empty", verify.allow_empty, "A file without device code is fine");
        command
            ->add_option("--policy", verify.policy,
                         "Policy file; left out, and without requirements: cuda-arch-guard.json of this folder or one above")
            ->type_name("FILE");
        command->add_option("--date", verify.date, "The day for waivers and a lab's dates, as in 2027-01-31; left out: today (UTC)")
            ->type_name("DATE");
        add_output_options(*command, verify.output, {"text", "json", "html", "csv", "sarif", "junit", "github", "markdown"});
        command->add_option("--sarif-anchor", verify.sarif_anchor, "Line of source at which code scanning shows the results")
            ->type_name("FILE:LINE");
    }

    void add_diff(CLI::App* command) {
        command->footer(diff_examples);
        command->add_option("OLD", diff.before, "A file, wheel, archive or folder, as it was")->required();
        command->add_option("NEW", diff.after, "The same, as it is now")->required();
        add_read_options(*command, diff.input);
        add_list(*command, "--gpu", diff.gpus, "GPUs to ask about; left out: every known compute capability", "GPU,...");
        add_driver_options(*command, diff.drivers, diff.environment);
        add_output_options(*command, diff.output, {"text", "json", "markdown"});
    }

    void add_gencode(CLI::App* command) {
        command->footer(gencode_examples);
        command->add_option("SPEC", gencode.specs, "86, 86-real, 90a, 8.6+PTX, Ampere, \"RTX 3090\", lab:MACHINE, all-major")->required();
        command->add_option("--lab", gencode.lab, "The lab file of lab:MACHINE; lab.json where left out")->type_name("FILE");
        command->add_option("--toolkit", gencode.toolkit, "CUDA toolkit that compiles, as in 12.8")->type_name("VERSION");
        allow_only(*command->add_option("--style", gencode.style, "For which tool the flags are"),
                   {"nvcc", "cmake", "torch", "tensorflow", "clang"});
        add_output_options(*command, gencode.output);
    }

    void add_survey(CLI::App* command) {
        command->footer(survey_examples);
        command->add_option("--from", survey.from, "Recorded output of nvidia-smi, of lspci or of this command, in place of this machine")
            ->type_name("FILE");
        command->add_option("--root", survey.root, "A folder in place of /: a mounted disk, a container's files. Nothing in it is run")
            ->type_name("DIR");
        command->add_flag("--probe", survey.probe, "Also build a program with nvcc and run it");
        add_output_options(*command, survey.output);
    }

    void add_guard(CLI::App* command) {
        command->footer(guard_examples);
        add_input_options(*command, guard.input);
        command->add_option("--python", guard.python, "Write one pure-Python guard for these files; they stay as they are")
            ->type_name("FILE");
        add_output_options(*command, guard.output);
    }

    void add_doctor(CLI::App* command) {
        command->footer(doctor_examples);
        add_input_options(*command, doctor.input);
        command->get_option("PATH")->required(false);
        command->add_option("--from", doctor.from, "Recorded output of nvidia-smi, lspci or survey: GPUs and driver of that machine")
            ->type_name("FILE");
        command->add_option("--root", doctor.root, "A folder in place of /: a mounted disk, a container's files. Nothing in it is run")
            ->type_name("DIR");
        add_list(*command, "--python", doctor.pythons, "A Python environment to look at, in place of those that are found", "DIR");
        add_list(*command, "--gpu", doctor.gpus, "Judge for this GPU in place of the machine's: 9.0, \"RTX 4090\"", "GPU");
        command->add_option("--driver", doctor.driver, "Judge for this driver in place of the machine's: 580, cuda:13.0")
            ->type_name("VERSION");
        command->add_flag("--matrix", doctor.matrix, "Print which drivers, toolkits and frameworks these GPUs need, and stop");
        command->add_option("--save", doctor.save, "Keep what was found, to compare with later")->type_name("FILE");
        command->add_option("--compare", doctor.compare, "What changed since --save")->type_name("FILE");
        add_output_options(*command, doctor.output);
    }

    void add_explain_log(CLI::App* command) {
        command->footer(explain_log_examples);
        command->add_option("FILE", explain_log.file, "The output; left out or -: standard input");
        add_output_options(*command, explain_log.output);
    }

    void add_merge(CLI::App* command) {
        command->footer(merge_examples);
        command->add_option("RESULT", merge.results, "Files with results of inspect, predict or verify, made with --format json")
            ->required();
        add_output_options(*command, merge.output);
    }

    void add_rule(CLI::App* command) {
        command->footer(rule_examples);
        command->add_option("CODE", rule.code, "CAG101; left out: the list of all codes");
        add_output_options(*command, rule.output, {"text", "json", "markdown"});
    }

    void add_policy(CLI::App* policy) {
        policy->footer(policy_examples);
        policy->require_subcommand(1);
        CLI::App* command =
            policy->add_subcommand("check", "Is the policy file valid: errors with line and column, waivers with their dates");
        command->footer(policy_check_examples);
        command->add_option("FILE", policy_check.file, "Policy file; left out: cuda-arch-guard.json of this folder or one above");
        add_output_options(*command, policy_check.output);
        command = policy->add_subcommand("init", "Writes a policy that holds for what is there now");
        command->footer(policy_init_examples);
        add_input_options(*command, policy_init.input);
        command->add_option("--output", policy_init.file, "Where to write; - is standard output")->type_name("FILE");
        command->add_option("--expires", policy_init.expires, "Last day of the waivers; left out: in a year")->type_name("DATE");
        command->add_flag("--force", policy_init.force, "Replace a file that exists");
        add_output_options(*command, policy_init.output);
    }

    void add_completion(CLI::App* command) {
        command->footer("\nExample:\n  source <(cuda-arch-guard completion bash)");
        allow_only(*command->add_option("SHELL", shell, "Whose completion")->required(), shells);
    }

    void add_manual(CLI::App* command) { command->footer("\nExample:\n  cuda-arch-guard manual | man -l -"); }

    CLI::App& add_lab_action(CLI::App& command, const char* name, const char* text, LabOptions::Action action) {
        CLI::App* added = command.add_subcommand(name, text);
        added->callback([this, action] { lab.action = action; });
        return *added;
    }

    void add_lab(CLI::App* lab_command) {
        CLI::App& command = *lab_command;
        using Action = LabOptions::Action;
        command.footer(lab_examples);
        command.require_subcommand(1);
        const auto add_file = [&](CLI::App& action, const char* names = "--lab,LAB") {
            action.add_option(names, lab.lab, "The lab file; lab.json where left out")->type_name("FILE");
        };
        const auto add_machines = [&](CLI::App& action) {
            add_list(action, "--machine", lab.machines, "Only this machine or group; repeat it for more", "NAME");
        };
        const auto add_date = [&](CLI::App& action) {
            action.add_option("--date", lab.date, "The day that is asked about, as in 2027-01-31; left out: today (UTC)")
                ->type_name("DATE");
        };
        const auto add_survey = [&](CLI::App& action) {
            action.add_option("--machine", lab.machine, "The machine's name; the host's where left out")->type_name("NAME");
            action.add_option("--from", lab.from, "Recorded output of nvidia-smi or of survey, in place of this machine")
                ->type_name("FILE");
        };
        CLI::App& init = add_lab_action(command, "init", "Prints a lab file with this machine", Action::init);
        add_survey(init);
        CLI::App& documents =
            add_lab_action(command, "import", "Prints a lab file with the machines of other tools' documents", Action::import);
        documents.add_option("FILE", lab.files, "Surveys, nvidia-smi, scontrol show node, kubectl get nodes -o json, DCGM exporter, CSV")
            ->required();
        CLI::App& show = add_lab_action(command, "show", "What the machines run, and the smallest list for all of them", Action::show);
        add_file(show);
        add_machines(show);
        add_date(show);
        show.add_option("--toolkit", lab.toolkit, "The CUDA toolkit that compiles; left out: the newest that serves most")
            ->type_name("VERSION");
        show.add_option("--size-of", lab.size_of, "A build of the program, from which the size of each entry is estimated")
            ->type_name("FILE");
        show.add_flag("--stack", lab.stack, "The newest published wheels and containers that fit each machine");
        add_output_options(show, lab.output);
        CLI::App& check = add_lab_action(command, "check", "How binaries do on every machine, with its driver", Action::check);
        add_input_options(check, lab.input);
        add_file(check, "--lab"); // the files are the binaries
        add_machines(check);
        add_date(check);
        add_output_options(check, lab.output);
        CLI::App& presets = add_lab_action(command, "presets", "CMake presets for every machine and group", Action::presets);
        add_file(presets);
        add_date(presets);
        presets.add_option("--write", lab.write, "Write this file, to be included from CMakePresets.json")->type_name("FILE");
        CLI::App& container =
            add_lab_action(command, "dockerfile", "A Dockerfile that builds for them and verifies what it ships", Action::dockerfile);
        add_file(container);
        add_machines(container);
        add_date(container);
        CLI::App& drift = add_lab_action(command, "drift", "Is this machine still what was declared", Action::drift);
        add_file(drift);
        add_survey(drift);
    }

    // What an option asks for besides what it is: --claims-from, and --quiet and --verbose, which say more than how the text looks.
    void apply_implied() {
        inspect.package = inspect.package || !inspect.input.claims_from.empty();
        inspect.input.claims = inspect.package;
        verify.input.claims = verify.input.claims || !verify.input.claims_from.empty();
        inspect.kernels = inspect.kernels || inspect.output.verbose;
        predict.kernels = predict.kernels || predict.output.verbose;
        inspect.input.progress = !inspect.output.quiet;
        predict.input.progress = !predict.output.quiet;
        verify.input.progress = !verify.output.quiet;
        diff.input.progress = !diff.output.quiet;
    }

    Command chosen() {
        apply_implied();
        if (app.get_subcommands().front()->get_name() == "lab") { // its actions share their names with those of others
            return lab;
        }
        const std::string name = deepest(app).get_name();
        if (name == "inspect") {
            return inspect;
        }
        if (name == "predict") {
            return predict;
        }
        if (name == "verify") {
            verify.requirements.jit_allowed = !jit_forbidden;
            verify.requirements.scope = scope == "any" ? Scope::any : Scope::every;
            return verify;
        }
        if (name == "diff") {
            return diff;
        }
        if (name == "merge") {
            return merge;
        }
        if (name == "gencode") {
            return gencode;
        }
        if (name == "survey") {
            return survey;
        }
        if (name == "guard") {
            return guard;
        }
        if (name == "completion" || name == "manual") {
            const std::vector<CommandRow> table = completed_rows(command_rows(app));
            return Message{name == "manual" ? manual_page(table) : completion_script(table, shell), "", 0};
        }
        if (name == "check") {
            return policy_check;
        }
        if (name == "init") {
            return policy_init;
        }
        if (name == "doctor") {
            return doctor;
        }
        if (name == "explain-log") {
            return explain_log;
        }
        return rule;
    }
};

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

// What was expected, found and allowed, and the command that tells more.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = deepest(app);
    std::string name;
    for (const CLI::App* level = &command; level != nullptr; level = level->get_parent()) {
        name.insert(0, level->get_name() + (name.empty() ? "" : " "));
    }
    std::string what = error.what();
    const auto extras = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
        const bool is_option = extras.front().starts_with('-');
        what = fmt::format("expected {}, found `{}`", is_option ? "an option of " + name : "no further argument", extras.front());
        if (const std::string meant = nearest_name(extras.front().substr(0, extras.front().find('=')), option_names(command));
            is_option && !meant.empty()) {
            what += fmt::format("; did you mean `{}`?", meant);
        }
    } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        const auto commands = command_names(command);
        const std::string missing = what.substr(0, what.find(" is required"));
        what = commands.empty() ? fmt::format("expected {}, found none", missing)
                                : fmt::format("expected a command ({}), found none", fmt::join(commands, ", "));
    }
    return fmt::format("cuda-arch-guard: CAG505: {}\n  `{} --help` lists what is allowed, with examples\n", what, name);
}

std::string unknown_command(const std::string& word, const std::vector<std::string>& names) {
    const std::string meant = nearest_name(word, names);
    return fmt::format(
        "cuda-arch-guard: CAG505: expected a command, found `{}`{}\n  allowed: {}\n  `cuda-arch-guard --help` shows examples\n", word,
        meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant), fmt::join(names, ", "));
}

} // namespace

const std::vector<std::pair<std::string, Format>>& format_names() {
    static const std::vector<std::pair<std::string, Format>> names{
        {"text", Format::text},   {"json", Format::json},   {"html", Format::html},     {"csv", Format::csv},
        {"sarif", Format::sarif}, {"junit", Format::junit}, {"github", Format::github}, {"markdown", Format::markdown}};
    return names;
}

Command parse_command_line(int argc, const char* const* argv) {
    // Making the options of all commands takes longer than reading a small file. Completion and manual page tell them all.
    const std::string_view first = argc > 1 ? argv[1] : "";
    const bool needs_all = first.starts_with('-') || first == "completion" || first == "manual";
    Commands commands(needs_all ? "" : first);
    CLI::App& app = commands.app;
    try {
        const auto names = command_names(app);
        if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
            return Message{"", unknown_command(argv[1], names), 2};
        }
        if (const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
            words == std::vector<std::string>{"--version", "--format=json"} ||
            words == std::vector<std::string>{"--version", "--format", "json"}) {
            return Message{version_json(), "", 0};
        }
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Message{deepest(app).help(), "", 0};
    } catch (const CLI::Success& message) {
        return Message{std::string{message.what()} + "\n", "", 0};
    } catch (const CLI::ParseError& error) {
        return Message{"", usage_error(app, error), 2};
    }
    return commands.chosen();
}

} // namespace cag
