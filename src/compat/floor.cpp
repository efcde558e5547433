// The driver floor: the oldest driver with which everything runs.
#include "compat/judge.hpp"
#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

struct Answer {
    bool judged = false; // there was something to judge
    bool all_run = true;
    bool any_jit = false;
    std::string obstacle; // why the first kernel that does not run does not
};

template <class JudgeAll>
Answer ask(const Gpu& gpu, const Driver& driver, const Environment& environment, JudgeAll judge_all) {
    const compat::Situation situation(gpu, driver, environment);
    Answer answer;
    judge_all(situation, [&](std::size_t, std::string_view, const compat::Decision& decision) {
        answer.judged = true;
        answer.all_run = compat::runs(decision);
        answer.any_jit = answer.any_jit || decision.kind == OutcomeKind::jit;
        if (!answer.all_run) {
            answer.obstacle = decision.reasons.empty() ? "" : decision.reasons.front();
        }
        return answer.all_run;
    });
    return answer;
}

template <class JudgeAll>
std::optional<DriverFloor> find_floor(const Gpu& gpu, const Environment& environment, JudgeAll judge_all) {
    std::string obstacle;
    unsigned obstructed = 0;
    for (const data::DriverBranch& row : data::driver_branches()) {
        const auto driver = parse_driver(std::to_string(row.branch));
        if (!driver || !drives(*driver, gpu)) {
            continue;
        }
        const Answer answer = ask(gpu, *driver, environment, judge_all);
        if (!answer.judged) {
            return std::nullopt;
        }
        if (answer.all_run) {
            return DriverFloor{*driver, answer.any_jit ? OutcomeKind::jit : OutcomeKind::sass,
                               obstacle.empty() ? std::string("no older driver knows the GPU")
                                                : fmt::format("with {}: {}", obstructed, obstacle)};
        }
        obstacle = answer.obstacle;
        obstructed = row.branch;
    }
    return std::nullopt;
}

// For those of the files' modules that count.
std::optional<DriverFloor> floor_of(std::vector<compat::FileJudge>& judges, const Gpu& gpu, const Environment& environment,
                                    const ModuleFilter& counts) {
    return find_floor(gpu, environment, [&](const compat::Situation& situation, const compat::Visitor& visit) {
        bool goes_on = true;
        for (std::size_t file = 0; file < judges.size() && goes_on; ++file) {
            goes_on = judges[file].judge(situation, [&](std::size_t module, std::string_view kernel, const compat::Decision& decision) {
                return !counts(file, module) || visit(module, kernel, decision);
            });
        }
    });
}

} // namespace

std::optional<DriverFloor> driver_floor(const FileCoverage& file, std::size_t module, const Gpu& gpu, const Environment& environment) {
    compat::FileJudge judge(file);
    return find_floor(gpu, environment,
                      [&](const compat::Situation& situation, const compat::Visitor& visit) { judge.judge(situation, visit, module); });
}

std::optional<DriverFloor> driver_floor(std::span<const FileCoverage* const> files, const Gpu& gpu, const ModuleFilter& counts) {
    std::vector<compat::FileJudge> judges;
    for (const FileCoverage* file : files) {
        judges.emplace_back(*file);
    }
    return floor_of(judges, gpu, {}, counts);
}

std::optional<DriverFloor> driver_floor(const Coverage& coverage, const Gpu& gpu, const Environment& environment) {
    std::vector<compat::FileJudge> judges(coverage.files.begin(), coverage.files.end());
    return floor_of(judges, gpu, environment, [](std::size_t, std::size_t) { return true; });
}

} // namespace cag
