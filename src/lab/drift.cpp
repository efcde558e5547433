#include "lab/drift.hpp"

#include "survey/survey.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag {
namespace {

std::string listed(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

bool is_that_driver(const Driver& declared, const Driver& found) {
    if (declared.name.starts_with("cuda:")) {
        return found.cuda == declared.cuda;
    }
    const bool exact = declared.name.find('.') != std::string::npos;
    return exact ? found.name == declared.name : found.branch == declared.branch;
}

} // namespace

std::vector<std::string> drift_of(const LabMachine& declared, const Machine& surveyed) {
    std::vector<std::string> differences;
    std::vector<std::string> wanted;
    for (const LabGpu& entry : declared.gpus) {
        wanted.insert(wanted.end(), entry.count, to_string(entry.gpu.capability));
    }
    std::vector<std::string> found;
    for (const Gpu& gpu : gpus_of(surveyed)) {
        found.push_back(to_string(gpu.capability));
    }
    if (listed(wanted) != listed(found)) {
        differences.push_back(fmt::format("GPUs declared {}, found {}", listed(wanted), listed(found)));
    }
    const auto driver = driver_of(surveyed);
    if (declared.driver && (!driver || !is_that_driver(*declared.driver, *driver))) {
        differences.push_back(fmt::format("driver declared {}, found {}", declared.driver->name, driver ? driver->name : "none"));
    }
    return differences;
}

std::vector<std::string> drift_of_toolkits(const LabMachine& declared, const std::vector<std::string>& installed) {
    std::vector<std::string> differences;
    for (const CudaVersion toolkit : declared.toolkits) {
        if (std::find(installed.begin(), installed.end(), to_string(toolkit)) == installed.end()) {
            differences.push_back(fmt::format("CUDA toolkit declared {}, found {}", to_string(toolkit), listed(installed)));
        }
    }
    return differences;
}

} // namespace cag
