#include "compat/diff.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

namespace cag {
namespace {

// The name of a file below the root: a path, a member, or both.
std::string name_below(const std::string& root, const FileCoverage& file) {
    std::string name;
    if (file.path != root) {
        const std::string folder = root.ends_with('/') ? root : root + "/";
        name = file.path.starts_with(folder) ? file.path.substr(folder.size()) : file.path;
    }
    return !file.member ? name : name.empty() ? *file.member : name + "!" + *file.member;
}

// What a library keeps of its name from release to release: without folders, the version behind `.so`, and the hash that auditwheel and
// delvewheel put into names (`libnvjpeg-4a0b5c81.so.13` is libnvjpeg.so).
std::string lasting_name(const std::string& name) {
    std::string text = name.substr(name.find_last_of("/!") + 1);
    if (const std::size_t suffix = text.find(".so."); suffix != std::string::npos) {
        text.erase(suffix + 3);
    }
    const std::size_t suffix = text.rfind('.');
    const std::size_t mark = suffix == std::string::npos || suffix == 0 ? std::string::npos : text.find_last_of("-.", suffix - 1);
    constexpr std::size_t shortest_hash = 8;
    if (mark != std::string::npos && suffix - mark > shortest_hash &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(mark) + 1, text.begin() + static_cast<std::ptrdiff_t>(suffix),
                    [](unsigned char c) { return std::isxdigit(c) != 0; })) {
        text.erase(mark, suffix - mark);
    }
    return text;
}

bool has_device_code(const FileCoverage& file) { return !file.modules.empty(); }

std::map<std::string, std::size_t> files_by_name(const DiffSide& side) {
    std::map<std::string, std::size_t> files;
    for (std::size_t i = 0; i < side.coverage.files.size(); ++i) {
        if (has_device_code(side.coverage.files[i])) {
            files.emplace(name_below(side.root, side.coverage.files[i]), i);
        }
    }
    return files;
}

// Files that only one side has under their name, and that are the only ones of their lasting name there, are one file that moved.
void pair_moved(std::vector<FileDiff>& files) {
    std::map<std::string, std::vector<FileDiff*>> alone;
    for (FileDiff& file : files) {
        if (!file.before || !file.after) {
            alone[lasting_name(file.name)].push_back(&file);
        }
    }
    for (const auto& entry : alone) {
        const std::vector<FileDiff*>& found = entry.second;
        if (found.size() != 2 || found[0]->before.has_value() == found[1]->before.has_value()) {
            continue;
        }
        FileDiff& moved = found[0]->after ? *found[0] : *found[1];
        FileDiff& old = found[0]->after ? *found[1] : *found[0];
        moved.old_name = old.name;
        std::swap(moved.before, old.before);
    }
    files.erase(std::remove_if(files.begin(), files.end(), [](const FileDiff& file) { return !file.before && !file.after; }), files.end());
}

std::vector<FileDiff> pair_files(const DiffSide& before, const DiffSide& after) {
    const auto old_files = files_by_name(before);
    const auto new_files = files_by_name(after);
    std::map<std::string, FileDiff> by_name;
    if (old_files.size() == 1 && new_files.size() == 1) {
        by_name[new_files.begin()->first].before = old_files.begin()->second;
    } else {
        for (const auto& [name, index] : old_files) {
            by_name[name].before = index;
        }
    }
    for (const auto& [name, index] : new_files) {
        by_name[name].after = index;
    }
    std::vector<FileDiff> files;
    for (auto& [name, file] : by_name) {
        file.name = name;
        files.push_back(std::move(file));
    }
    pair_moved(files);
    return files;
}

// A kernel's outcomes by its name and its number among those of that name.
using Outcomes = std::map<std::pair<std::string, std::size_t>, const Outcome*>;

Outcomes outcomes_of(const Prediction& prediction, std::size_t file) {
    Outcomes outcomes;
    std::map<std::string, std::size_t> seen;
    for (const ModulePrediction& module : prediction.files[file].modules) {
        for (const Outcome& outcome : module.outcomes) {
            outcomes.emplace(std::pair(outcome.kernel, seen[outcome.kernel]++), &outcome);
        }
    }
    return outcomes;
}

bool runs(const Outcome& outcome) { return outcome.kind == OutcomeKind::sass || outcome.kind == OutcomeKind::jit; }

std::optional<Change> change_between(const Outcome& before, const Outcome& after) {
    if (runs(before) && !runs(after)) {
        return after.kind == OutcomeKind::fails ? Change::lost : Change::doubtful;
    }
    if (!runs(before)) {
        return runs(after) ? std::optional(Change::won) : std::nullopt;
    }
    if (before.kind == after.kind) {
        return std::nullopt;
    }
    return after.kind == OutcomeKind::jit ? Change::compiled : Change::compiled_no_more;
}

// The changes on one GPU; groups with the same kernels as on another GPU are joined with it.
void add_changes(FileDiff& file, const Outcomes& before, const Outcomes& after, const std::pair<Gpu, Driver>& question) {
    std::map<Change, DiffGroup> groups;
    for (const auto& [kernel, outcome] : after) {
        const auto old = before.find(kernel);
        const auto change = old == before.end() ? std::nullopt : change_between(*old->second, *outcome);
        if (!change) {
            continue;
        }
        DiffGroup& group = groups[*change];
        if (group.kernels.empty()) {
            group.change = *change;
            group.on = {question};
            group.reasons = outcome->reasons;
            group.fixes = outcome->fixes;
        }
        group.kernels.push_back(kernel.first);
    }
    for (auto& entry : groups) {
        DiffGroup& group = entry.second;
        const auto same = std::find_if(file.groups.begin(), file.groups.end(), [&](const DiffGroup& known) {
            return known.change == group.change && known.kernels == group.kernels;
        });
        if (same == file.groups.end()) {
            file.groups.push_back(std::move(group));
        } else {
            same->on.push_back(question);
        }
    }
}

void add_kernels(FileDiff& file, const Outcomes& before, const Outcomes& after) {
    const auto missing_in = [](const Outcomes& from, const Outcomes& in) {
        std::vector<std::string> names;
        for (const auto& entry : from) {
            if (!entry.first.first.empty() && in.count(entry.first) == 0) {
                names.push_back(entry.first.first);
            }
        }
        return names;
    };
    file.kernels_gone = missing_in(before, after);
    file.kernels_new = missing_in(after, before);
}

} // namespace

Diff diff(const DiffSide& before, const DiffSide& after, const std::vector<std::pair<Gpu, Driver>>& questions,
          const Environment& environment) {
    Diff result;
    result.files = pair_files(before, after);
    bool first = true;
    for (const auto& question : questions) { // one at a time: the outcomes of large libraries are many
        const Prediction old_outcomes = predict(before.coverage, question.first, question.second, environment);
        const Prediction new_outcomes = predict(after.coverage, question.first, question.second, environment);
        for (FileDiff& file : result.files) {
            const Outcomes old_file = file.before ? outcomes_of(old_outcomes, *file.before) : Outcomes();
            const Outcomes new_file = file.after ? outcomes_of(new_outcomes, *file.after) : Outcomes();
            if (first) {
                add_kernels(file, old_file, new_file);
            }
            add_changes(file, old_file, new_file, question);
        }
        first = false;
    }
    for (FileDiff& file : result.files) {
        std::stable_sort(file.groups.begin(), file.groups.end(),
                         [](const DiffGroup& left, const DiffGroup& right) { return left.change < right.change; });
    }
    return result;
}

std::vector<std::pair<Gpu, Driver>> all_known_gpus() {
    std::set<ComputeCapability> capabilities;
    for (const data::Chip& chip : data::chips()) {
        if (chip.capability) {
            capabilities.insert(*chip.capability);
        }
    }
    std::vector<std::pair<Gpu, Driver>> gpus;
    for (const ComputeCapability capability : capabilities) {
        if (const auto gpu = parse_gpu(to_string(capability))) {
            gpus.emplace_back(*gpu, newest_driver_for(*gpu));
        }
    }
    return gpus;
}

bool loses_a_gpu(const Diff& diff) {
    return std::any_of(diff.files.begin(), diff.files.end(), [](const FileDiff& file) {
        return std::any_of(file.groups.begin(), file.groups.end(), [](const DiffGroup& group) { return group.change == Change::lost; });
    });
}

bool loses_kernels(const Diff& diff) {
    return std::any_of(diff.files.begin(), diff.files.end(),
                       [](const FileDiff& file) { return !file.after || !file.kernels_gone.empty(); });
}

const char* to_string(Change change) {
    switch (change) {
    case Change::lost:
        return "lost";
    case Change::doubtful:
        return "doubtful";
    case Change::compiled:
        return "compiled";
    case Change::won:
        return "won";
    case Change::compiled_no_more:
        return "compiled_no_more";
    }
    return "";
}

} // namespace cag
