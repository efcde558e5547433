// `predict` for people: failures first and grouped by cause, then a matrix of modules (or kernels) and GPUs, then the driver each GPU
// needs.
#include "policy/kernel_names.hpp"
#include "policy/subject.hpp"
#include "report/matrix.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cag {
namespace {

const Mark* mark_of(OutcomeKind kind) {
    switch (kind) {
    case OutcomeKind::sass:
        return &marks::sass;
    case OutcomeKind::jit:
        return &marks::ptx;
    case OutcomeKind::fails:
        return &marks::fails;
    case OutcomeKind::unknown:
        break;
    }
    return &marks::unknown;
}

std::string gpu_text(const PredictionRun& run) {
    const std::string capability = to_string(run.gpu.capability);
    return run.gpu.name.empty() ? capability : fmt::format("{} ({})", run.gpu.name, capability);
}

std::string environment_text(const Environment& environment) {
    std::string text;
    for (const auto& [name, value] : environment) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

// Kernels with one fate and one remedy, in whatever modules they are.
struct Cause {
    const PredictionRun* run;
    const Outcome* example;
    std::set<std::pair<std::size_t, std::size_t>> modules; // file, module
    std::vector<std::string> kernels;
    bool same_reasons = true; // as the example; else the reasons differ in the images that each module has
};

std::vector<Cause> causes_of(const std::vector<PredictionRun>& runs, OutcomeKind kind) {
    std::vector<Cause> causes;
    for (const PredictionRun& run : runs) {
        std::map<std::string, std::size_t> known;
        for (const FilePrediction& file : run.prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    if (outcome.kind != kind) {
                        continue;
                    }
                    const std::string key = fmt::format("{}|{}", outcome.error ? outcome.error->code : 0, fmt::join(outcome.fixes, "|"));
                    const auto [entry, is_new] = known.try_emplace(key, causes.size());
                    if (is_new) {
                        causes.push_back({&run, &outcome, {}, {}, true});
                    }
                    Cause& cause = causes[entry->second];
                    cause.modules.insert({file.file, module.module});
                    cause.kernels.push_back(outcome.kernel);
                    cause.same_reasons = cause.same_reasons && outcome.reasons == cause.example->reasons;
                }
            }
        }
    }
    return causes;
}

std::string modules_text(const Coverage& coverage, const Cause& cause) {
    const std::size_t file = cause.modules.begin()->first;
    std::vector<std::size_t> modules;
    std::set<std::size_t> files;
    for (const auto& [in_file, module] : cause.modules) {
        files.insert(in_file);
        modules.push_back(module);
    }
    if (files.size() > 1) {
        return fmt::format("{} of {}", counted(cause.modules.size(), "module"), counted(files.size(), "file"));
    }
    return fmt::format("{} {} of {}", modules.size() == 1 ? "module" : "modules", ranges(modules), display_name(coverage.files[file]));
}

std::string cause_text(const Coverage& coverage, const Cause& cause, const Style& style) {
    const Outcome& outcome = *cause.example;
    const bool named = !outcome.kernel.empty();
    std::string what = outcome.kind == OutcomeKind::unknown ? "not known" : "fails";
    if (outcome.error) {
        what += fmt::format(" with error {} ({})", outcome.error->code, outcome.error->name);
    }
    std::string text = wrapped(
        style, fmt::format("{} ", mark_of(outcome.kind)->painted(style)),
        printable(fmt::format("{}, driver {}{}: {} in {} {}{}", gpu_text(*cause.run), cause.run->driver.name,
                              environment_text(cause.run->environment), named ? counted(cause.kernels.size(), "kernel") : "all kernels",
                              modules_text(coverage, cause), what, named ? ": " + list_kernels(cause.kernels) : "")));
    for (const std::string& reason : outcome.reasons) {
        const std::size_t example = cause.modules.begin()->second;
        text += wrapped(style, cause.same_reasons ? "    why: " : fmt::format("    why, module {}: ", example), printable(reason));
    }
    for (std::size_t i = 0; i < outcome.fixes.size(); ++i) {
        text += wrapped(style, i == 0 ? "    fix: " : "         ", printable(outcome.fixes[i]));
    }
    return text + fmt::format("    ({})\n\n", to_string(outcome.confidence));
}

// The marks of one kernel over all runs.
using Fate = std::vector<const Mark*>;

struct Fates {
    std::vector<std::string> kernels; // in the order in which they are met
    std::map<std::string, Fate> by_kernel;
};

std::map<std::pair<std::size_t, std::size_t>, Fates> fates_of(const std::vector<PredictionRun>& runs) {
    std::map<std::pair<std::size_t, std::size_t>, Fates> all;
    for (std::size_t column = 0; column < runs.size(); ++column) {
        for (const FilePrediction& file : runs[column].prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                Fates& fates = all[{file.file, module.module}];
                for (const Outcome& outcome : module.outcomes) {
                    const auto [entry, is_new] = fates.by_kernel.try_emplace(outcome.kernel, runs.size(), &marks::none);
                    if (is_new) {
                        fates.kernels.push_back(outcome.kernel);
                    }
                    entry->second[column] = mark_of(outcome.kind);
                }
            }
        }
    }
    return all;
}

bool has(const Fate& fate, const Mark& mark) { return std::find(fate.begin(), fate.end(), &mark) != fate.end(); }

void failures_first(std::vector<Matrix::Row>& rows) {
    const auto rank = [](const Matrix::Row& row) { return has(row.cells, marks::fails) ? 0 : has(row.cells, marks::unknown) ? 1 : 2; };
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& left, const auto& right) { return rank(left) < rank(right); });
}

// Kernels of the same fate share a row, over all modules of the file.
std::vector<Matrix::Row> grouped_rows(const std::vector<std::pair<std::size_t, const Fates*>>& modules) {
    struct Row {
        Fate fate;
        std::vector<std::size_t> modules;
        std::vector<std::string> kernels;
    };
    std::vector<Row> rows;
    for (const auto& [module, fates] : modules) {
        for (const std::string& kernel : fates->kernels) {
            const Fate& fate = fates->by_kernel.at(kernel);
            auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.fate == fate; });
            if (same == rows.end()) {
                same = rows.insert(rows.end(), {fate, {}, {}});
            }
            if (same->modules.empty() || same->modules.back() != module) {
                same->modules.push_back(module);
            }
            if (!kernel.empty()) {
                same->kernels.push_back(kernel);
            }
        }
    }
    std::vector<Matrix::Row> shown;
    shown.reserve(rows.size());
    for (const Row& row : rows) {
        shown.push_back({fmt::format("{} {}{}", row.modules.size() == 1 ? "module" : "modules", ranges(row.modules),
                                     row.kernels.empty() ? "" : ", " + counted(row.kernels.size(), "kernel")),
                         row.fate});
    }
    return shown;
}

std::vector<Matrix::Row> kernel_rows(const std::vector<std::pair<std::size_t, const Fates*>>& modules) {
    std::vector<Matrix::Row> rows;
    for (const auto& [module, fates] : modules) {
        for (const std::string& kernel : fates->kernels) {
            rows.push_back({printable(fmt::format("{}: {}", module, kernel.empty() ? "(all kernels)" : demangled(kernel))),
                            fates->by_kernel.at(kernel)});
        }
    }
    return rows;
}

// "12.0", or "12.0/580" where one GPU is asked about with several drivers.
std::vector<std::string> headings(const std::vector<PredictionRun>& runs) {
    std::vector<std::string> texts;
    for (const PredictionRun& run : runs) {
        const auto same_gpu =
            std::count_if(runs.begin(), runs.end(), [&](const PredictionRun& other) { return other.gpu.capability == run.gpu.capability; });
        texts.push_back(to_string(run.gpu.capability) + (same_gpu > 1 ? "/" + run.driver.name : ""));
    }
    return texts;
}

// The driver that each GPU needs; GPUs of which the same is to be said share a line.
std::string floors_text(const std::vector<PredictionRun>& runs, const Style& style) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const PredictionRun& run : runs) {
        std::string what = "no driver makes every kernel run";
        if (run.floor) {
            what = fmt::format("every kernel runs from driver {} (CUDA {}) on{}{}", run.floor->driver.name,
                               to_string(run.floor->driver.cuda), run.floor->outcome == OutcomeKind::jit ? ", compiled at load" : "",
                               run.floor->reason.empty() ? "" : "; " + run.floor->reason);
        }
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == what; });
        auto& gpus = same == lines.end() ? lines.emplace_back(what, std::vector<std::string>{}).second : same->second;
        if (const std::string gpu = gpu_text(run); std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) {
            gpus.push_back(gpu);
        }
    }
    std::string text;
    for (const auto& [what, gpus] : lines) {
        text += wrapped(style, "  ", printable(fmt::format("{}: {}", fmt::join(gpus, ", "), what)));
    }
    return text;
}

std::string drivers_text(const std::vector<PredictionRun>& runs, const Style& style) {
    std::vector<std::string> drivers;
    for (const PredictionRun& run : runs) {
        const std::string driver =
            fmt::format("{} (CUDA {}, PTX up to {})", run.driver.name, to_string(run.driver.cuda), to_string(run.driver.max_ptx));
        if (std::find(drivers.begin(), drivers.end(), driver) == drivers.end()) {
            drivers.push_back(driver);
        }
    }
    return wrapped(style, "  ", printable(fmt::format("asked with driver {}", fmt::join(drivers, ", "))));
}

std::string summary(const std::vector<PredictionRun>& runs, const Style& style) {
    std::size_t failing = 0;
    std::size_t unknown = 0;
    std::size_t jit = 0;
    for (const PredictionRun& run : runs) {
        const auto any = [&](OutcomeKind kind) {
            for (const auto& file : run.prediction.files) {
                for (const auto& module : file.modules) {
                    if (std::any_of(module.outcomes.begin(), module.outcomes.end(),
                                    [&](const Outcome& outcome) { return outcome.kind == kind; })) {
                        return true;
                    }
                }
            }
            return false;
        };
        failing += any(OutcomeKind::fails) ? 1U : 0U;
        unknown += any(OutcomeKind::unknown) ? 1U : 0U;
        jit += any(OutcomeKind::jit) ? 1U : 0U;
    }
    const auto of_all = [&](std::size_t count) { return runs.size() == 1 ? "the GPU" : fmt::format("{} of {} GPUs", count, runs.size()); };
    if (failing != 0) {
        return fmt::format("{} kernels fail on {}\n", marks::fails.painted(style), of_all(failing));
    }
    if (unknown != 0) {
        return fmt::format("{} not known for {}\n", marks::unknown.painted(style), of_all(unknown));
    }
    return fmt::format("{} every kernel runs on {}{}\n", marks::holds.painted(style), of_all(runs.size()),
                       jit != 0 ? ", some after compilation at load" : "");
}

} // namespace

std::string predict_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const PredictView& view, const Style& style) {
    std::string text;
    for (const FileCoverage& file : coverage.files) {
        for (const Problem& problem : file.problems) {
            text += wrapped(style, fmt::format("{} {} ", marks::fails.painted(style), problem.code),
                            printable(fmt::format("{}: {}", display_name(file), problem.message)));
        }
    }
    text += text.empty() ? "" : "\n";
    for (const OutcomeKind kind : {OutcomeKind::fails, OutcomeKind::unknown}) {
        for (const Cause& cause : causes_of(runs, kind)) {
            text += cause_text(coverage, cause, style);
        }
    }
    const auto fates = fates_of(runs);
    if (fates.empty()) {
        return text + "no device code that the driver would load\n";
    }
    Matrix all;
    for (std::size_t f = 0; f < coverage.files.size(); ++f) {
        std::vector<std::pair<std::size_t, const Fates*>> modules;
        for (auto entry = fates.lower_bound({f, 0}); entry != fates.end() && entry->first.first == f; ++entry) {
            modules.emplace_back(entry->first.second, &entry->second);
        }
        if (modules.empty()) {
            continue;
        }
        Matrix matrix{"GPU", headings(runs), view.kernels ? kernel_rows(modules) : grouped_rows(modules)};
        failures_first(matrix.rows);
        text += paint(style, Ink::strong, printable(display_name(coverage.files[f]))) + '\n' + to_text(matrix, style, view.kernels) + '\n';
        all.rows.insert(all.rows.end(), matrix.rows.begin(), matrix.rows.end());
    }
    text += legend(all,
                   {{&marks::sass, "runs, SASS"},
                    {&marks::ptx, "runs, PTX compiled at load"},
                    {&marks::fails, "fails"},
                    {&marks::unknown, "not known"},
                    {&marks::none, "not asked"}},
                   style) +
            '\n';
    text += drivers_text(runs, style) + floors_text(runs, style);
    return text + '\n' + summary(runs, style);
}

} // namespace cag
