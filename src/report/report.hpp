// What the commands print. Every renderer is a pure function from a result to text; each lies in a file of its own.
#pragma once

#include "arch/spec.hpp"
#include "compat/diff.hpp"
#include "compat/spec.hpp"
#include "doctor/doctor.hpp"
#include "doctor/explain_log.hpp"
#include "lab/check.hpp"
#include "lab/solve.hpp"
#include "package/truth.hpp"
#include "policy/codes.hpp"
#include "policy/policy_file.hpp"
#include "policy/requirement.hpp"
#include "report/style.hpp"
#include "survey/machine.hpp"

#include <cudaarchguard/coverage.hpp>
#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cag {

struct InspectView {
    bool kernels = false; // a row for each kernel, not for each module
    bool sizes = false;   // bytes for each architecture
};

[[nodiscard]] std::string inspect_text(const Coverage& coverage, const InspectView& view, const Style& style);
[[nodiscard]] std::string inspect_json(const Coverage& coverage, const InspectView& view);

[[nodiscard]] std::string packages_text(const std::vector<PackageTruth>& packages, const Style& style);
[[nodiscard]] std::string packages_json(const Coverage& coverage, const std::vector<PackageTruth>& packages, const InspectView& view);

// The answer for one GPU and one driver.
struct PredictionRun {
    Gpu gpu;
    Driver driver;
    Environment environment;
    Prediction prediction;
    std::optional<DriverFloor> floor; // nullopt: no driver makes every kernel run
};

// Bytes of PTX that the driver compiles when all of it is used.
[[nodiscard]] std::uint64_t ptx_to_compile(const PredictionRun& run);

struct DiffView {
    std::string before; // the paths that were named
    std::string after;
    std::size_t gpus = 0; // how many were asked about
};

[[nodiscard]] std::string diff_text(const Diff& diff, const DiffView& view, const Style& style);
[[nodiscard]] std::string diff_json(const Diff& diff, const DiffView& view);
[[nodiscard]] std::string diff_markdown(const Diff& diff, const DiffView& view);

struct LabView {
    std::vector<LabPlace> places;
    Solution solution;
    std::string size_of;                             // the build that the sizes are estimated from; "": none
    std::vector<std::optional<std::uint64_t>> sizes; // of the solution's targets
};

[[nodiscard]] std::string lab_text(const LabView& view, const Style& style);
[[nodiscard]] std::string lab_json(const LabView& view);
// The newest published wheels and containers that fit each place.
[[nodiscard]] std::string lab_stack_text(const std::vector<LabPlace>& places, const Style& style);
[[nodiscard]] std::string lab_stack_json(const std::vector<LabPlace>& places);

// A result and a run for each place.
struct LabCheckView {
    const Coverage& coverage;
    std::vector<LabPlace> places;
    std::vector<PlaceResult> results;
    std::vector<PredictionRun> runs;
    Verdict verdict = Verdict::undecided;
};

[[nodiscard]] std::string lab_check_text(const LabCheckView& view, const Style& style);
[[nodiscard]] std::string lab_check_json(const LabCheckView& view);

struct PredictView {
    bool kernels = false; // a row for each kernel, not for each group of equals
};

[[nodiscard]] std::string predict_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const PredictView& view,
                                       const Style& style);
[[nodiscard]] std::string predict_json(const Coverage& coverage, const std::vector<PredictionRun>& runs);

[[nodiscard]] std::string verify_text(const Judgement& judgement, const Style& style);
[[nodiscard]] std::string verify_json(const Judgement& judgement);
[[nodiscard]] std::string verify_junit(const Coverage& coverage, const Judgement& judgement);
[[nodiscard]] std::string verify_github(const Judgement& judgement);
[[nodiscard]] std::string verify_markdown(const Judgement& judgement);

// A scan with what was asked of it: what reports that show everything at once are made from.
struct ScanReport {
    std::string command;
    const Coverage& coverage;
    const Judgement* judgement = nullptr; // verify
    std::vector<PredictionRun> runs;      // predict; for verify those of its --runs-on
};

[[nodiscard]] std::string report_html(const ScanReport& report);
[[nodiscard]] std::string report_csv(const ScanReport& report);

// A line of source that code scanning shows results at, in place of line 1 of a binary that is not in the repository.
struct SarifAnchor {
    std::string file; // relative to the repository
    unsigned line = 1;
};

[[nodiscard]] std::string verify_sarif(const Judgement& judgement, const std::optional<SarifAnchor>& anchor);

struct GencodeAnswer {
    std::string style; // "nvcc"
    ArchList list;
    GencodeText flags;
};

[[nodiscard]] std::string gencode_text(const GencodeAnswer& answer);
[[nodiscard]] std::string gencode_json(const GencodeAnswer& answer);

// What `guard` wrote.
struct GuardAnswer {
    struct File {
        std::string path;
        std::size_t modules = 0;
        std::size_t kernels = 0;
        std::size_t names = 0; // of kernels that had room
    };
    std::string python; // the one file for all; empty: each has its own table
    std::vector<File> files;
};

[[nodiscard]] std::string guard_text(const GuardAnswer& answer);
[[nodiscard]] std::string guard_json(const GuardAnswer& answer);

[[nodiscard]] std::string rules_text(std::span<const DiagnosticCode> codes, const Style& style); // one: explained; several: listed
[[nodiscard]] std::string rules_json(std::span<const DiagnosticCode> codes);
[[nodiscard]] std::string rules_markdown(std::span<const DiagnosticCode> codes); // docs/codes.md

[[nodiscard]] std::string survey_text(const Machine& machine, const Style& style);
[[nodiscard]] std::string survey_json(const Machine& machine);
// What `policy check` found.
struct PolicyReport {
    std::string file;
    PolicyReading reading;
    std::string today; // "2026-11-30"
};

[[nodiscard]] std::string policy_text(const PolicyReport& report, const Style& style);
[[nodiscard]] std::string policy_json(const PolicyReport& report);

[[nodiscard]] std::string doctor_text(const Examination& examination, const Diagnosis& diagnosis, const Style& style);
[[nodiscard]] std::string doctor_json(const Examination& examination, const Diagnosis& diagnosis);

// What differs between two results of doctor_json(); "" where nothing that matters does. Failure CAG508: `before` is no such result.
[[nodiscard]] Result<std::string> doctor_changes(const std::string& before, const std::string& now);

// The table of drivers, toolkits and frameworks for GPUs.
[[nodiscard]] std::string matrix_text(const std::vector<Gpu>& gpus, const Style& style);
[[nodiscard]] std::string matrix_json(const std::vector<Gpu>& gpus);

[[nodiscard]] std::string explain_log_text(const std::vector<LogFinding>& findings, const Style& style);
[[nodiscard]] std::string explain_log_json(const std::vector<LogFinding>& findings);

// An answer that could not be given: what stands on standard output with --format json, whatever the command.
[[nodiscard]] std::string failure_json(const std::string& command, const Problem& problem);

// `--version --format json`: the program's version, and the newest toolkit, driver and GPUs that its tables know.
[[nodiscard]] std::string version_json();

// "0.1.0"
[[nodiscard]] const char* program_version();

} // namespace cag
