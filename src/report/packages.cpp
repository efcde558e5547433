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

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

const char* words_for(Extent extent) { return extent == Extent::all ? "everything" : extent == Extent::part ? "a part" : "nothing"; }

// In percent, rounded down: a part is never shown as all.
double share_of(const GpuTruth& truth) {
    const std::size_t per_mille = truth.kernels * 1000 / truth.of;
    return static_cast<double>(per_mille) / 10;
}

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
    if (truth.elsewhere != 0) {
        text += fmt::format("; {} more for other GPUs on purpose (`a` or `f`)", truth.elsewhere);
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
    std::string text = fmt::format("{}: {}, {}, {}", printable(package.path), counted(package.files, "file") + " with device code",
                                   counted(package.modules, "module"), counted(package.kernels, "kernel"));
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
                        printable(fmt::format("{}{}: {}: {}{}", checked.claim.source,
                                              checked.claim.line == 0 ? "" : fmt::format(":{}", checked.claim.line), checked.claim.says,
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
    for (const auto& [first, second] : variants(packages)) {
        const auto found = differences(packages[first], packages[second]);
        text +=
            '\n' + wrapped(style, "",
                           fmt::format("{} and {}, of one release, {}", printable(last_part(packages[first].path)),
                                       printable(last_part(packages[second].path)), found.empty() ? "run on the same GPUs" : "differ:"));
        for (const PackageDifference& difference : found) {
            text += fmt::format("  on {}: {} runs in the first, {} in the second\n", to_string(difference.gpu.capability),
                                words_for(difference.first), words_for(difference.second));
        }
    }
    return text;
}

std::string packages_json(const Coverage& coverage, const std::vector<PackageTruth>& packages, const InspectView& view) {
    ordered_json document = json_envelope("inspect");
    document["files"] = json_files(coverage, view.kernels);
    document["packages"] = ordered_json::array();
    for (const PackageTruth& package : packages) {
        ordered_json json{{"path", package.path},          {"files", package.files},         {"base_files", package.base_files},
                          {"modules", package.modules},    {"kernels", package.kernels},     {"partial", package.partial},
                          {"gpus", ordered_json::array()}, {"claims", ordered_json::array()}};
        for (const GpuTruth& truth : package.gpus) {
            json["gpus"].push_back(
                {{"gpu", to_string(truth.gpu.capability)},
                 {"runs", to_string(truth.runs)},
                 {"kernels", truth.kernels},
                 {"of", truth.of},
                 {"compiled", truth.compiled},
                 {"elsewhere", truth.elsewhere},
                 {"lacking", truth.lacking},
                 {"driver", truth.floor ? ordered_json(std::to_string(truth.floor->driver.branch)) : ordered_json(nullptr)},
                 {"driver_reason", truth.floor ? ordered_json(truth.floor->reason) : ordered_json(nullptr)}});
        }
        for (const CheckedClaim& checked : package.claims) {
            json["claims"].push_back({{"source", checked.claim.source},
                                      {"line", checked.claim.line == 0 ? ordered_json(nullptr) : ordered_json(checked.claim.line)},
                                      {"says", checked.claim.says},
                                      {"result", to_string(checked.result)},
                                      {"found", checked.found}});
        }
        document["packages"].push_back(std::move(json));
    }
    document["variants"] = ordered_json::array();
    for (const auto& [first, second] : variants(packages)) {
        ordered_json json{{"first", packages[first].path}, {"second", packages[second].path}, {"differences", ordered_json::array()}};
        for (const PackageDifference& difference : differences(packages[first], packages[second])) {
            json["differences"].push_back({{"gpu", to_string(difference.gpu.capability)},
                                           {"first", to_string(difference.first)},
                                           {"second", to_string(difference.second)}});
        }
        document["variants"].push_back(std::move(json));
    }
    return json_text(document);
}

} // namespace cag
