// `inspect --package`: the truth of each package, for people and as JSON.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {

namespace {

using nlohmann::ordered_json;

const Mark& mark_of(Extent extent) {
    return extent == Extent::all ? marks::holds : extent == Extent::part ? marks::unknown : marks::missing;
}

const Mark& mark_of(CheckedClaim::Result result) {
    return result == CheckedClaim::Result::holds ? marks::holds : result == CheckedClaim::Result::unknown ? marks::note : marks::fails;
}

// GPUs with the same answer share a line.
struct Row {
    std::string gpus;
    const GpuTruth* truth;
};

// In percent, rounded down: a part is never shown as all.
double share_of(const GpuTruth& truth) { return static_cast<double>(truth.kernels * 1000 / truth.of) / 10; }

std::string answer_of(const GpuTruth& truth) {
    if (truth.runs == Extent::none) {
        return "nothing runs";
    }
    std::string text = truth.runs == Extent::all
                           ? fmt::format("all {} run", counted(truth.of, "kernel"))
                           : fmt::format("{:.1f}% of the kernels run ({} of {})", share_of(truth), truth.kernels, truth.of);
    if (truth.compiled != 0) {
        text += fmt::format(", {} from PTX", truth.compiled == truth.kernels ? "all" : std::to_string(truth.compiled));
    }
    if (truth.floor) {
        text += fmt::format("; driver {} or newer", truth.floor->driver.branch);
    }
    if (truth.runs == Extent::part) {
        constexpr std::size_t shown = 3;
        text += "; lacking in ";
        for (std::size_t i = 0; i < std::min(shown, truth.lacking.size()); ++i) {
            text += (i == 0 ? "" : ", ") + printable(truth.lacking[i]);
        }
        if (truth.lacking.size() > shown) {
            text += fmt::format(" and {} more", truth.lacking.size() - shown);
        }
    }
    return text;
}

std::vector<Row> rows_of(const PackageTruth& package) {
    std::vector<Row> rows;
    for (const GpuTruth& truth : package.gpus) {
        const std::string name = to_string(truth.gpu.capability);
        if (!rows.empty() && answer_of(*rows.back().truth) == answer_of(truth)) {
            rows.back().gpus += ' ' + name;
        } else {
            rows.push_back({name, &truth});
        }
    }
    return rows;
}

std::string package_text(const PackageTruth& package, const Style& style) {
    std::string text = fmt::format("{}: {}, {}", printable(package.path), counted(package.files, "file") + " with device code",
                                   counted(package.modules, "module"));
    if (package.base_files != 0) {
        text += fmt::format(" ({} of the files from the base image)", package.base_files);
    }
    text += '\n';
    for (const Row& row : rows_of(package)) {
        text += wrapped(style, fmt::format("  {} {:<24} ", mark_of(row.truth->runs).painted(style), row.gpus), answer_of(*row.truth));
    }
    if (package.partial) {
        text += wrapped(style, fmt::format("  {} ", marks::fails.painted(style)),
                        "a part could not be read: what is said here is not the whole truth");
    }
    if (!package.claims.empty()) {
        text += "  it says\n";
    }
    for (const CheckedClaim& checked : package.claims) {
        text += wrapped(style, fmt::format("  {} ", mark_of(checked.result).painted(style)),
                        printable(fmt::format("{}: {}: {}{}", checked.claim.source, checked.claim.says,
                                              checked.result == CheckedClaim::Result::contradicted ? "not so: " : "",
                                              checked.found.empty() ? "the content does not tell" : checked.found)));
    }
    return text;
}

} // namespace

std::string packages_text(const std::vector<PackageTruth>& packages, const Style& style) {
    std::string text;
    for (const PackageTruth& package : packages) {
        text += (text.empty() ? "" : "\n") + package_text(package, style);
    }
    for (std::size_t i = 1; i < packages.size(); ++i) {
        for (const PackageDifference& difference : differences(packages[0], packages[i])) {
            text += fmt::format("{}on {}: {} in {}, {} in {}\n", text.ends_with("differ\n") ? "  " : "\n  ",
                                to_string(difference.gpu.capability), to_string(difference.first), printable(packages[0].path),
                                to_string(difference.second), printable(packages[i].path));
        }
    }
    return text;
}

std::string packages_json(const Coverage& coverage, const std::vector<PackageTruth>& packages, const InspectView& view) {
    ordered_json document = json_envelope("inspect");
    document["files"] = json_files(coverage, view.kernels);
    document["packages"] = ordered_json::array();
    for (const PackageTruth& package : packages) {
        ordered_json json{{"path", package.path},           {"files", package.files},     {"base_files", package.base_files},
                          {"modules", package.modules},     {"partial", package.partial}, {"gpus", ordered_json::array()},
                          {"claims", ordered_json::array()}};
        for (const GpuTruth& truth : package.gpus) {
            json["gpus"].push_back(
                {{"gpu", to_string(truth.gpu.capability)},
                 {"runs", to_string(truth.runs)},
                 {"kernels", truth.kernels},
                 {"of", truth.of},
                 {"compiled", truth.compiled},
                 {"lacking", truth.lacking},
                 {"driver", truth.floor ? ordered_json(std::to_string(truth.floor->driver.branch)) : ordered_json(nullptr)}});
        }
        for (const CheckedClaim& checked : package.claims) {
            json["claims"].push_back({{"source", checked.claim.source},
                                      {"says", checked.claim.says},
                                      {"result", to_string(checked.result)},
                                      {"found", checked.found}});
        }
        document["packages"].push_back(std::move(json));
    }
    return json_text(document);
}

} // namespace cag
