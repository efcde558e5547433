// `predict` for people: the verdict, the failures grouped by cause, what to know of kernels that run, a matrix of kernels and GPUs (or of
// GPUs and drivers), and the driver that each GPU needs.
#include "policy/kernel_names.hpp"
#include "policy/subject.hpp"
#include "report/matrix.hpp"
#include "report/predict_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// The kernels' names, unless all are meant.
std::string names_text(const std::vector<std::string>& kernels) {
    const bool named = std::none_of(kernels.begin(), kernels.end(), [](const std::string& name) { return name.empty(); });
    return named ? ": " + list_kernels(kernels) : "";
}

std::string warnings_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const Style& style) {
    std::string text;
    for (const Warning& warning : warnings_of(runs)) {
        text += wrapped(
            style, fmt::format("{} ", marks::warning.painted(style)),
            printable(fmt::format("{}, {}{}: {}", pairs_text(warning.runs), extent_text(coverage, runs, warning.kernels, warning.modules),
                                  names_text(warning.kernels), warning.text)));
    }
    constexpr std::uint64_t takes_long = std::uint64_t{1} << 20;
    for (const PredictionRun& run : runs) {
        if (const std::uint64_t bytes = ptx_to_compile(run); bytes >= takes_long) {
            text += wrapped(
                style, fmt::format("{} ", marks::warning.painted(style)),
                printable(fmt::format("{}: {} of PTX are compiled when they are first used, which may take minutes; the results are "
                                      "kept where CUDA_CACHE_PATH says (~/.nv), as far as CUDA_CACHE_MAXSIZE allows",
                                      pairs_text({&run}), byte_size(bytes))));
        }
    }
    return text.empty() ? "" : text + '\n';
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

// Kernels of the same fate, over all modules of the file.
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

// Where several drivers were asked about: for each group of kernels GPUs downwards, drivers across.
std::vector<std::pair<std::string, Matrix>> matrices_of_drivers(const std::vector<PredictionRun>& runs,
                                                                const std::vector<Matrix::Row>& groups) {
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
        const auto found = std::find(names.begin(), names.end(), name);
        return static_cast<std::size_t>((found == names.end() ? names.insert(names.end(), name) : found) - names.begin());
    };
    std::vector<std::string> gpus;
    std::vector<std::string> drivers;
    for (const PredictionRun& run : runs) {
        add(gpus, gpu_text(run.gpu));
        add(drivers, run.driver.name);
    }
    std::vector<std::pair<std::string, Matrix>> matrices;
    for (const Matrix::Row& group : groups) {
        Matrix matrix{"driver", drivers, {}};
        for (const std::string& gpu : gpus) {
            matrix.rows.push_back({gpu, std::vector<const Mark*>(drivers.size(), &marks::none)});
        }
        for (std::size_t i = 0; i < runs.size(); ++i) {
            matrix.rows[add(gpus, gpu_text(runs[i].gpu))].cells[add(drivers, runs[i].driver.name)] = group.cells[i];
        }
        matrices.emplace_back(group.label, std::move(matrix));
    }
    return matrices;
}

bool several_drivers(const std::vector<PredictionRun>& runs) {
    return std::any_of(runs.begin(), runs.end(), [&](const PredictionRun& run) {
        return std::count_if(runs.begin(), runs.end(),
                             [&](const PredictionRun& other) { return gpu_text(other.gpu) == gpu_text(run.gpu); }) > 1;
    });
}

std::string matrices_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const PredictView& view, const Style& style) {
    const auto fates = fates_of(runs);
    std::string text;
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
        all.rows.insert(all.rows.end(), matrix.rows.begin(), matrix.rows.end());
        text += paint(style, Ink::strong, printable(display_name(coverage.files[f]))) + '\n';
        if (view.kernels || !several_drivers(runs)) {
            text += to_text(matrix, style, view.kernels) + '\n';
            continue;
        }
        for (const auto& [label, of_drivers] : matrices_of_drivers(runs, matrix.rows)) {
            text += "  " + printable(label) + '\n' + to_text(of_drivers, style) + '\n';
        }
    }
    return text +
           legend(all,
                  {{&marks::sass, "runs, SASS"},
                   {&marks::ptx, "runs, PTX compiled at load"},
                   {&marks::fails, "fails"},
                   {&marks::unknown, "not known"},
                   {&marks::none, "not asked"}},
                  style) +
           '\n';
}

// The driver that each GPU needs; GPUs of which the same is to be said share a line.
std::string floors_text(const std::vector<PredictionRun>& runs, const Style& style) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const PredictionRun& run : runs) {
        std::string what = "no driver makes every kernel run";
        if (run.floor) {
            what = fmt::format("R{} (CUDA {}){}{}", run.floor->driver.branch, to_string(run.floor->driver.cuda),
                               run.floor->outcome == OutcomeKind::jit ? ", compiling PTX" : "",
                               run.floor->reason.empty() ? "" : "; " + run.floor->reason);
        }
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == what; });
        auto& gpus = same == lines.end() ? lines.emplace_back(what, std::vector<std::string>{}).second : same->second;
        if (const std::string gpu = gpu_text(run.gpu); std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) {
            gpus.push_back(gpu);
        }
    }
    std::string text = "lowest driver with which every kernel runs\n";
    for (const auto& [what, gpus] : lines) {
        text += wrapped(style, fmt::format("  {}: ", printable(fmt::format("{}", fmt::join(gpus, ", ")))), printable(what));
    }
    return text;
}

std::string drivers_text(const std::vector<PredictionRun>& runs, const Style& style) {
    std::vector<std::string> drivers;
    for (const PredictionRun& run : runs) {
        const std::string driver =
            fmt::format("{} ({}CUDA {}, PTX up to {})", run.driver.name,
                        run.driver.extrapolated ? "newer than the tables of this program: judged as the newest in them, " : "",
                        to_string(run.driver.cuda), to_string(run.driver.max_ptx));
        if (std::find(drivers.begin(), drivers.end(), driver) == drivers.end()) {
            drivers.push_back(driver);
        }
    }
    return wrapped(style, "asked with driver ", printable(fmt::format("{}", fmt::join(drivers, ", "))));
}

// Runs in which some kernel has this fate.
Runs runs_with(const std::vector<PredictionRun>& runs, OutcomeKind kind) {
    Runs found;
    for (const PredictionRun& run : runs) {
        const auto has_it = [&](const ModulePrediction& module) {
            return std::any_of(module.outcomes.begin(), module.outcomes.end(),
                               [&](const Outcome& outcome) { return outcome.kind == kind; });
        };
        if (std::any_of(run.prediction.files.begin(), run.prediction.files.end(),
                        [&](const FilePrediction& file) { return std::any_of(file.modules.begin(), file.modules.end(), has_it); })) {
            found.push_back(&run);
        }
    }
    return found;
}

std::string verdict_text(const std::vector<PredictionRun>& runs, const Style& style) {
    const char* what = several_drivers(runs) ? "pairs of GPU and driver" : "GPUs";
    const auto of_all = [&](const Runs& some) {
        return runs.size() == 1 ? pairs_text(some) : fmt::format("{} of {} {}", some.size(), runs.size(), what);
    };
    const auto line = [&](const Mark& mark, const std::string& text) {
        return wrapped(style, mark.painted(style) + " ", paint(style, mark.ink, printable(text))) + '\n';
    };
    if (const Runs failing = runs_with(runs, OutcomeKind::fails); !failing.empty()) {
        return line(marks::fails, fmt::format("kernels fail on {}", of_all(failing)));
    }
    if (const Runs unknown = runs_with(runs, OutcomeKind::unknown); !unknown.empty()) {
        return line(marks::unknown, fmt::format("not known for {}", of_all(unknown)));
    }
    const Runs compiling = runs_with(runs, OutcomeKind::jit);
    Runs all;
    for (const PredictionRun& run : runs) {
        all.push_back(&run);
    }
    return line(marks::holds,
                fmt::format("every kernel runs on {}{}", runs.size() == 1 ? of_all(all) : fmt::format("all {} {}", runs.size(), what),
                            compiling.empty()  ? ""
                            : runs.size() == 1 ? ", by compiling PTX"
                                               : fmt::format(", by compiling PTX on {}", of_all(compiling))));
}

} // namespace

std::string predict_text(const Coverage& coverage, const std::vector<PredictionRun>& runs, const PredictView& view, const Style& style) {
    const std::string problems = problems_text(coverage, style);
    if (fates_of(runs).empty()) {
        return problems + "no device code that the driver would load\n";
    }
    std::string text = verdict_text(runs, style) + problems;
    if (style.detail == Detail::brief) {
        return text;
    }
    for (const OutcomeKind kind : {OutcomeKind::fails, OutcomeKind::unknown}) {
        for (const Cause& cause : causes_of(runs, kind)) {
            text += cause_text(coverage, runs, cause, style);
        }
    }
    return text + warnings_text(coverage, runs, style) + matrices_text(coverage, runs, view, style) + drivers_text(runs, style) +
           floors_text(runs, style);
}

} // namespace cag
