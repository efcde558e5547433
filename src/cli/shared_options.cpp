#include "cli/shared_options.hpp"

#include "cli/read.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cag {

void allow_only(CLI::Option& option, const std::vector<std::string>& words) {
    const auto check = [words](const std::string& word) {
        const bool known = std::find(words.begin(), words.end(), word) != words.end();
        return known ? std::string{} : fmt::format("expected one of {}, found `{}`", fmt::join(words, ", "), word);
    };
    option.check(CLI::Validator(check, ""))->type_name(fmt::format("{}", fmt::join(words, "|")));
}

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* text, const char* type) {
    return command.add_option(name, values, text)->allow_extra_args(false)->type_name(type);
}

void add_output_options(CLI::App& command, OutputOptions& options, const std::vector<std::string>& formats) {
    std::vector<std::pair<std::string, Format>> choices;
    std::copy_if(format_names().begin(), format_names().end(), std::back_inserter(choices),
                 [&](const auto& choice) { return std::find(formats.begin(), formats.end(), choice.first) != formats.end(); });
    add_choice<Format>(command, "--format", options.format, choices, "What to print");
    add_choice<Choice>(command, "--color", options.colour,
                       {{"auto", Choice::automatic}, {"always", Choice::always}, {"never", Choice::never}},
                       "Colours; auto: on a terminal, unless NO_COLOR is set");
    add_choice<Choice>(command, "--symbols", options.unicode,
                       {{"auto", Choice::automatic}, {"unicode", Choice::always}, {"ascii", Choice::never}},
                       "Symbols of the tables; auto: by the locale");
    command.add_option("--width", options.width, "Columns of the text; left out: COLUMNS, the terminal's, or 80")
        ->check(CLI::Range(std::size_t{40}, std::size_t{10000}))
        ->type_name("N");
    CLI::Option* quiet = command.add_flag("--quiet", options.quiet, "Text: only what fails, and the verdict; no progress");
    command.add_flag("--verbose", options.verbose, "Text: nothing is folded or only counted")->excludes(quiet);
    options.formats = formats;
    if (formats.size() > 3) {
        add_list(command, "--report", options.reports, "Also write a report to a file, as in --report html=a.html --report json=a.json",
                 "FORMAT=FILE");
    }
}

void add_read_options(CLI::App& command, InputOptions& options) {
    command.add_option("--threads", options.threads, "Threads to read with; 0: as many as there are processors")->type_name("N");
    Limits& limits = options.limits;
    const std::string group = "Limits (what a hostile file may cost; the default in brackets)";
    static const CLI::Validator size = CLI::AsSizeValue(false).description(""); // takes its time to make
    const auto bytes = [&](const char* name, std::uint64_t& value, const char* text) {
        command.add_option(name, value, text)->transform(size)->type_name("SIZE")->group(group);
    };
    bytes("--max-expanded-image", limits.max_expanded_image, "Bytes of one decompressed image (1GiB)");
    bytes("--max-table", limits.max_table, "Bytes of one section, symbol or string table (64MiB)");
    command.add_option("--max-expansion-ratio", limits.max_expansion_ratio, "Expanded bytes for each stored byte of an image (2048)")
        ->type_name("N")
        ->group(group);
    bytes("--max-memory", limits.max_memory,
          "Bytes of images, and of archive members, in memory at one time; larger members go to TMPDIR (1GiB)");
    bytes("--max-member", limits.max_member, "Bytes of one expanded archive member (16GiB)");
    command.add_option("--max-archive-ratio", limits.max_archive_ratio, "Expanded bytes for each byte of an archive, from 4 GiB on (250)")
        ->type_name("N")
        ->group(group);
    command.add_option("--max-images", limits.max_images, "Containers and images of one file (131072)")->type_name("N")->group(group);
    command.add_option("--max-entries", limits.max_entries, "Members of one archive, kernels and functions of one image (1048576)")
        ->type_name("N")
        ->group(group);
    command.add_option("--max-depth", limits.max_depth, "Archives inside archives (4)")->type_name("N")->group(group);
}

void add_input_options(CLI::App& command, InputOptions& options) {
    command
        .add_option("PATH", options.paths,
                    "Programs, libraries, objects, cubin, fatbin and PTX files; wheels, packages, archives; folders; - for standard input")
        ->required();
    add_read_options(command, options);
}

void add_spread_options(CLI::App& command, InputOptions& options) {
    command.add_flag("--cache", options.cache, "Keep what was read, and read only what changed since; for one's own machine, not for CI");
    command.add_option("--cache-file", options.cache_file, "Where it is kept; left out: cuda-arch-guard/scans.sqlite in ~/.cache")
        ->type_name("FILE");
    command.add_option("--shard", options.shard, "Read part I of N of the files, counted from 1; `merge` joins the results (JSON)")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const auto shard = parse_shard(text);
                return shard ? std::string{} : shard.error().message;
            },
            ""))
        ->type_name("I/N");
}

void add_claims_from(CLI::App& command, InputOptions& options, const std::string& text) {
    add_list(command, "--claims-from", options.claims_from,
             (text + ": README.md, README.md#supported-gpus for what stands below that heading; a file on disk, else one of that name in "
                     "the packages (METADATA has the description); repeat it for more")
                 .c_str(),
             "FILE");
}

void add_driver_options(CLI::App& command, std::vector<std::string>& drivers, std::vector<std::string>& environment) {
    add_list(command, "--driver", drivers, "Driver: 580, 580.159.04, cuda:13.0, local; left out: the newest known that drives the GPU",
             "VERSION");
    add_list(command, "--env", environment, "Environment of the process, as in CUDA_FORCE_PTX_JIT=1", "NAME=VALUE");
}

} // namespace cag
