// diff OLD NEW: which GPUs are lost or won, kernel by kernel.
#include "compat/diff.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/questions.hpp"
#include "cli/read.hpp"
#include "report/report.hpp"

namespace cag {
namespace {

Coverage read_side(const InputOptions& options, const std::string& path) {
    InputOptions one = options;
    one.paths = {path};
    return read_inputs(one, ScanDepth::payload);
}

} // namespace

int run(const DiffOptions& options) {
    const auto environment = parse_environment(options.environment);
    if (!environment) {
        return give_up("diff", options.output, environment.error());
    }
    auto questions = parse_questions(options.gpus, options.drivers);
    if (!questions) {
        return give_up("diff", options.output, questions.error());
    }
    if (questions->empty()) {
        *questions = all_known_gpus();
    }
    const Coverage before = read_side(options.input, options.before);
    const Coverage after = read_side(options.input, options.after);
    for (const Coverage* side : {&before, &after}) {
        for (const FileCoverage& file : side->files) {
            for (const Problem& problem : file.problems) {
                print_note(problem.code + ": " + file.path + ": " + problem.message);
            }
        }
    }
    const Diff result = diff({before, options.before}, {after, options.after}, *questions, *environment);
    const DiffView view{options.before, options.after, questions->size()};
    const std::string report = options.output.format == Format::json       ? diff_json(result, view)
                               : options.output.format == Format::markdown ? diff_markdown(result, view)
                                                                           : diff_text(result, view, style_of(options.output));
    const bool undecided = result.files.empty() || is_partial(before) || is_partial(after);
    return finish(report, loses_a_gpu(result) ? status_fails : undecided ? status_undecided : status_holds);
}

} // namespace cag
