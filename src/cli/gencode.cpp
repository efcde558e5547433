// gencode SPEC...: the flags for a list of architectures.
#include "arch/spec.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/policy_source.hpp"
#include "lab/lab.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

Result<GencodeAnswer> answer_to(const GencodeOptions& options) {
    std::optional<CudaVersion> toolkit;
    if (!options.toolkit.empty()) {
        const auto known = parse_toolkit(options.toolkit);
        if (!known) {
            return tl::unexpected(known.error());
        }
        toolkit = *known;
    }
    ArchSpecOptions spec_options;
    spec_options.toolkit = toolkit;
    spec_options.lab = [&options](std::string_view name) -> Result<LabGpus> {
        const auto lab = read_lab(options.lab);
        return lab ? lab_gpus(*lab, name, today()) : tl::unexpected(lab.error());
    };
    const auto list = parse_arch_list(fmt::format("{}", fmt::join(options.specs, ";")), spec_options);
    if (!list) {
        return tl::unexpected(list.error());
    }
    const auto flags = gencode_flags(*list, *parse_gencode_style(options.style), toolkit);
    if (!flags) {
        return tl::unexpected(flags.error());
    }
    return GencodeAnswer{options.style, *list, *flags};
}

} // namespace

int run(const GencodeOptions& options) {
    const auto answer = answer_to(options);
    if (!answer) {
        return give_up("gencode", options.output, answer.error());
    }
    if (options.output.format == Format::json) {
        return finish(gencode_json(*answer), status_holds);
    }
    // Standard output is to be pasted into a command: what was decided goes beside it.
    for (const auto& notes : {answer->list.notes, answer->flags.notes}) {
        for (const std::string& note : notes) {
            print_note("note: " + note);
        }
    }
    return finish(gencode_text(*answer), status_holds);
}

} // namespace cag
