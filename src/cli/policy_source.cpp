#include "cli/policy_source.hpp"

#include "lab/lab.hpp"
#include "support/date.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cag {

Result<std::string> read_text_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        return failure("CAG408", fmt::format("expected a policy file, found that {} cannot be read: {}; `cuda-arch-guard policy init PATH` "
                                             "writes one",
                                             path, errno == 0 ? "it is empty or no file" : std::strerror(errno)));
    }
    return text.str();
}

std::optional<std::string> nearest_policy() {
    std::error_code error;
    const auto start = std::filesystem::current_path(error);
    for (auto folder = start; !error; folder = folder.parent_path()) {
        if (const auto file = folder / policy_file_name; std::filesystem::is_regular_file(file, error)) {
            return folder == start ? policy_file_name : file.string();
        }
        if (folder == folder.parent_path()) {
            break;
        }
        error.clear(); // a folder that cannot be looked into has none for us
    }
    return std::nullopt;
}

Result<std::vector<Requirement>> lab_requirements(const std::string& file, const std::vector<std::string>& machines,
                                                  const Requirement& each, const std::string& day) {
    const auto lab = read_lab(file);
    if (!lab) {
        return tl::unexpected(lab.error());
    }
    const auto places = places_of(*lab, machines, day);
    if (!places) {
        return tl::unexpected(places.error());
    }
    std::vector<Requirement> requirements;
    for (const LabPlace& place : *places) {
        if (place.must_run_now()) {
            requirements.push_back(each);
            Requirement& requirement = requirements.back();
            requirement.kind = Requirement::Kind::runs_on;
            requirement.text = place.machine->name;
            requirement.gpu = place.gpu;
            requirement.driver = place.driver;
            requirement.environment.insert(place.machine->environment.begin(), place.machine->environment.end());
            requirement.jit_allowed = each.jit_allowed && place.need.jit;
        }
    }
    if (requirements.empty()) {
        return failure("CAG508", fmt::format("{}: expected a machine that must run programs on {}, found none: look at the machines' dates "
                                             "and groups with `cuda-arch-guard lab show --lab {}`",
                                             file, day, file));
    }
    return requirements;
}

Result<PolicyReading> read_policy_file(const std::string& path, const std::string& day) {
    const auto text = read_text_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    PolicyReading reading = read_policy(*text);
    for (const PolicyLab& lab : reading.policy.labs) {
        const std::string file = (std::filesystem::path{path}.parent_path() / lab.file).string();
        if (const auto requirements = lab_requirements(file, lab.machines, lab.each, day); requirements) {
            reading.policy.requirements.insert(reading.policy.requirements.end(), requirements->begin(), requirements->end());
        } else {
            reading.errors.push_back({lab.place, requirements.error().message});
        }
    }
    sort_by_place(reading.errors);
    return reading;
}

Result<Policy> load_policy(const std::string& path, const std::string& day) {
    auto reading = read_policy_file(path, day);
    if (!reading) {
        return tl::unexpected(reading.error());
    }
    if (!reading->errors.empty()) {
        const std::size_t more = reading->errors.size() - 1;
        return failure("CAG508", to_string(path, reading->errors.front()) +
                                     (more == 0 ? "" : fmt::format("; `cuda-arch-guard policy check {}` shows {} more", path, more)));
    }
    return std::move(reading->policy);
}

std::string today(int days) {
    std::time_t now = std::time(nullptr);
    now += std::time_t{days} * 24 * 60 * 60;
    std::tm day{};
    gmtime_r(&now, &day);
    return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

Result<std::string> day_asked(const std::string& date) {
    if (date.empty()) {
        return today();
    }
    if (!is_date(date)) {
        return failure("CAG505", fmt::format("expected a date such as 2027-01-31 for --date, found `{}`", date));
    }
    return date;
}

} // namespace cag
