// What was asked for on the command line, as plain values: one struct a command.
#pragma once

#include "policy/parse.hpp"
#include "policy/policy_file.hpp"
#include "support/limits.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cag {

enum class Format : std::uint8_t { text, json, html, csv, sarif, junit, github, markdown };

// By their names on the command line, in the order in which help lists them. All of them exist for `verify`, the first two everywhere.
[[nodiscard]] const std::vector<std::pair<std::string, Format>>& format_names();

enum class Choice : std::uint8_t { automatic, always, never };

// How results are shown; every command has these.
struct OutputOptions {
    Format format = Format::text;
    Choice colour = Choice::automatic;
    Choice unicode = Choice::automatic; // --symbols auto|unicode|ascii
    std::size_t width = 0;              // columns; 0: the terminal's
    bool quiet = false;
    bool verbose = false;
    std::vector<std::string> formats; // that the command has
    std::vector<std::string> reports; // FORMAT=FILE
};

// What is read, and how; the commands that read binaries have these.
struct InputOptions {
    std::vector<std::string> paths;
    unsigned threads = 0;
    std::string shard; // "2/8"
    bool cache = false;
    bool progress = true; // on a terminal
    std::string cache_file;
    bool claims = false;                  // also what packages say of themselves
    std::vector<std::string> claims_from; // and in these texts
    Limits limits;
};

struct InspectOptions {
    OutputOptions output;
    InputOptions input;
    bool kernels = false;
    bool sizes = false;
    bool package = false;
};

struct PredictOptions {
    OutputOptions output;
    InputOptions input;
    std::vector<std::string> gpus;
    std::vector<std::string> drivers;
    std::vector<std::string> environment;
    bool kernels = false;
};

struct VerifyOptions {
    OutputOptions output;
    InputOptions input;
    RequirementTexts requirements;
    std::vector<std::string> environment;
    std::string policy; // file; "": the nearest one, where no requirement is given
    std::string date;   // for waivers and the lab; "": the day of the clock
    bool strict = false;
    bool allow_empty = false;
    std::string pyproject;             // file with [tool.cuda-arch-guard]
    std::string sarif_anchor;          // FILE:LINE
    std::string lab;                   // a lab file: its machines are requirements
    std::vector<std::string> machines; // of it, and groups; none: all
};

struct DiffOptions {
    OutputOptions output;
    InputOptions input; // without paths
    std::string before;
    std::string after;
    std::vector<std::string> gpus; // none: every known one
    std::vector<std::string> drivers;
    std::vector<std::string> environment;
};

struct GencodeOptions {
    OutputOptions output;
    std::vector<std::string> specs;
    std::string style = "nvcc";
    std::string toolkit;
    std::string lab = "lab.json"; // in which lab:NAME is looked up
};

struct GuardOptions {
    OutputOptions output;
    InputOptions input;
    std::string python; // the file to write; empty: the tables go into the files themselves
};

struct LabOptions {
    enum class Action : std::uint8_t { init, import, show, check, presets, dockerfile, drift };
    Action action = Action::show;
    OutputOptions output;
    InputOptions input; // check
    std::string lab = "lab.json";
    std::vector<std::string> machines; // and groups; none: all
    std::string date;                  // show, check, presets; "": the day of the clock
    std::string toolkit;               // show
    bool stack = false;                // show: published wheels and containers in place of the list
    std::string size_of;               // show: a binary that tells what an image costs
    std::vector<std::string> files;    // import
    std::string machine;               // drift: which of the lab this is; init: its name
    std::string from;                  // drift, init: a recorded survey in place of this machine
    std::string write;                 // presets: the file to write
};

struct MergeOptions {
    OutputOptions output;
    std::vector<std::string> results;
};

struct RuleOptions {
    OutputOptions output;
    std::string code; // empty: all
};

struct SurveyCommandOptions {
    OutputOptions output;
    std::string root; // a folder in place of /; empty: this machine
    std::string from; // recorded output; empty: look at the machine
    bool probe = false;
};

struct PolicyCheckOptions {
    OutputOptions output;
    std::string file; // "": the nearest one
};

struct PolicyInitOptions {
    OutputOptions output;
    InputOptions input;
    std::string file = policy_file_name; // "-": standard output
    std::string expires;                 // "": in a year
    bool force = false;
};

struct DoctorCommandOptions {
    OutputOptions output;
    InputOptions input; // programs to judge; may be empty
    std::string root;
    std::string from;
    std::vector<std::string> pythons;
    std::vector<std::string> gpus;
    std::string driver;
    bool matrix = false;
    std::string save;
    std::string compare;
};

struct ExplainLogOptions {
    OutputOptions output;
    std::string file = "-"; // "-": standard input
};

// Nothing to run: help, the version, or a command line that is not valid.
struct Message {
    std::string out;
    std::string error;
    int status = 0;
};

using Command = std::variant<Message, InspectOptions, PredictOptions, VerifyOptions, DiffOptions, GencodeOptions, GuardOptions, LabOptions,
                             MergeOptions, RuleOptions, SurveyCommandOptions, PolicyCheckOptions, PolicyInitOptions, DoctorCommandOptions,
                             ExplainLogOptions>;

[[nodiscard]] Command parse_command_line(int argc, const char* const* argv);

} // namespace cag
