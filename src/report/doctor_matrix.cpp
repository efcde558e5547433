// `doctor --matrix`: what teams keep by hand, from the tables: which drivers, toolkits and published builds of frameworks go with a GPU.
#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "report/json_model.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {
namespace {

struct FrameworkRange {
    const data::FrameworkBuild* oldest = nullptr;
    const data::FrameworkBuild* newest = nullptr;
    bool gone = false; // the newest known build of the framework does not have the GPU
};

struct MatrixRow {
    Gpu gpu;
    const data::DriverBranch* oldest_driver = nullptr;
    const data::DriverBranch* newest_driver = nullptr;
    const data::Toolkit* oldest_toolkit = nullptr;
    const data::Toolkit* newest_toolkit = nullptr;
    std::vector<std::pair<std::string, FrameworkRange>> frameworks;
};

bool serves(const std::span<const Arch>& sass, const Gpu& gpu) {
    return std::any_of(sass.begin(), sass.end(), [&](Arch arch) {
        return arch.variant == Variant::plain && arch.major == gpu.capability.major &&
               (gpu.tegra ? arch.capability() == gpu.capability : arch.minor <= gpu.capability.minor && !data::is_tegra(arch.capability()));
    });
}

MatrixRow row_for(const Gpu& gpu) {
    MatrixRow row;
    row.gpu = gpu;
    for (const data::DriverBranch& branch : data::driver_branches()) {
        const auto driver = parse_driver(std::to_string(branch.branch));
        if (driver && drives(*driver, gpu)) {
            row.oldest_driver = row.oldest_driver == nullptr ? &branch : row.oldest_driver;
            row.newest_driver = &branch;
        }
    }
    for (const data::Toolkit& toolkit : data::toolkits()) {
        if (serves(toolkit.real, gpu)) {
            row.oldest_toolkit = row.oldest_toolkit == nullptr ? &toolkit : row.oldest_toolkit;
            row.newest_toolkit = &toolkit;
        }
    }
    for (const char* framework : {"pytorch", "tensorflow", "cupy"}) {
        FrameworkRange range;
        for (const data::FrameworkBuild& build : data::framework_builds()) {
            if (build.framework == framework) {
                range.gone = !serves(build.sass, gpu); // the last row decides
                if (!range.gone) {
                    range.oldest = range.oldest == nullptr ? &build : range.oldest;
                    range.newest = &build;
                }
            }
        }
        row.frameworks.emplace_back(framework, range);
    }
    return row;
}

// Every compute capability of the tables that a toolkit of the last years builds for.
std::vector<Gpu> all_gpus() {
    std::vector<Gpu> gpus;
    for (const Arch arch : data::find_toolkit({12, 9})->real) {
        if (arch.variant == Variant::plain && arch.capability() != ComputeCapability{10, 1}) {
            gpus.push_back({arch.capability(), data::is_tegra(arch.capability()), "", ""});
        }
    }
    for (const Arch arch : data::toolkits().back().real) {
        const bool known = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.capability == arch.capability(); });
        if (arch.variant == Variant::plain && !known) {
            gpus.push_back({arch.capability(), data::is_tegra(arch.capability()), "", ""});
        }
    }
    std::sort(gpus.begin(), gpus.end(), [](const Gpu& left, const Gpu& right) { return left.capability < right.capability; });
    return gpus;
}

std::vector<MatrixRow> rows_for(const std::vector<Gpu>& gpus) {
    std::vector<MatrixRow> rows;
    for (const Gpu& gpu : gpus.empty() ? all_gpus() : gpus) {
        rows.push_back(row_for(gpu));
    }
    return rows;
}

std::string build_text(const data::FrameworkBuild* build) { return fmt::format("{} (CUDA {})", build->version, build->cuda); }

std::string range_text(const FrameworkRange& range) {
    if (range.oldest == nullptr) {
        return "none known";
    }
    if (range.oldest->version == range.newest->version) { // one state of the source, built with several toolkits
        return fmt::format("{}, CUDA {} to {}", range.oldest->version, range.oldest->cuda, range.newest->cuda);
    }
    return range.gone ? fmt::format("{} to {}", range.oldest->version, build_text(range.newest)) : "from " + build_text(range.oldest);
}

std::string going_away(const MatrixRow& row) {
    std::vector<std::string> last;
    if (row.newest_driver != nullptr && row.newest_driver != &data::driver_branches().back()) {
        last.push_back(fmt::format("driver ends with R{}", row.newest_driver->branch));
    }
    if (row.newest_toolkit != nullptr && row.newest_toolkit != &data::toolkits().back()) {
        last.push_back("toolkit ends with " + to_string(row.newest_toolkit->release));
    }
    return fmt::format("{}", fmt::join(last, ", "));
}

} // namespace

std::string matrix_text(const std::vector<Gpu>& gpus, const Style& style) {
    std::vector<TableRow> table{{"GPU", "driver", "toolkit", "PyTorch wheels", "CuPy wheels", "going away"}};
    for (const MatrixRow& row : rows_for(gpus)) {
        const std::string capability = to_string(row.gpu.capability);
        table.push_back(
            {row.gpu.name.empty() ? capability + (row.gpu.tegra ? " (Tegra)" : "") : fmt::format("{} ({})", row.gpu.name, capability),
             row.oldest_driver == nullptr ? "none known" : fmt::format("R{}+", row.oldest_driver->branch),
             row.oldest_toolkit == nullptr ? "none known" : to_string(row.oldest_toolkit->release) + "+",
             range_text(row.frameworks[0].second), range_text(row.frameworks[2].second), going_away(row)});
    }
    return table_text(style, table) + "\nMachine code (SASS) of published Linux x86_64 builds; PTX can carry a build to later GPUs. "
                                      "--format json names the sources.\n";
}

std::string matrix_json(const std::vector<Gpu>& gpus) {
    using Json = nlohmann::ordered_json;
    Json document = json_envelope("doctor");
    document["matrix"] = Json::array();
    const auto build = [](const data::FrameworkBuild* row) {
        return row == nullptr ? Json(nullptr) : Json{{"version", row->version}, {"cuda", row->cuda}, {"source", row->source}};
    };
    for (const MatrixRow& row : rows_for(gpus)) {
        Json frameworks = Json::object();
        for (const auto& [name, range] : row.frameworks) {
            frameworks[name] = {{"oldest", build(range.oldest)}, {"newest", build(range.newest)}, {"gone", range.gone}};
        }
        const auto branch = [](const data::DriverBranch* driver) { return driver == nullptr ? Json(nullptr) : Json(driver->branch); };
        const auto release = [](const data::Toolkit* toolkit) {
            return toolkit == nullptr ? Json(nullptr) : Json(to_string(toolkit->release));
        };
        document["matrix"].push_back({{"gpu", row.gpu.name.empty() ? Json(nullptr) : Json(row.gpu.name)},
                                      {"capability", to_string(row.gpu.capability)},
                                      {"oldest_driver", branch(row.oldest_driver)},
                                      {"newest_driver", branch(row.newest_driver)},
                                      {"oldest_toolkit", release(row.oldest_toolkit)},
                                      {"newest_toolkit", release(row.newest_toolkit)},
                                      {"frameworks", std::move(frameworks)}});
    }
    return json_text(document);
}

} // namespace cag
