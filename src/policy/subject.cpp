#include "policy/subject.hpp"

#include "coverage/device_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

namespace cag {
namespace {

bool damage_lies_in(const Problem& problem, const Module& module) {
    return !problem.offset || (*problem.offset >= module.offset && *problem.offset - module.offset < module.size);
}

// Damage elsewhere in the file cannot change what a module that was read whole lacks. A pool is different: a container that could not be
// read might have been the one that serves.
bool is_certain(const FileCoverage& file, const Subject& subject) {
    return std::none_of(file.problems.begin(), file.problems.end(), [&](const Problem& problem) {
        return subject.kind == Subject::Kind::pool || std::any_of(subject.modules.begin(), subject.modules.end(), [&](std::size_t index) {
                   return damage_lies_in(problem, file.modules[index]);
               });
    });
}

std::vector<std::size_t> inputs_of(const FileCoverage& file, std::size_t linked) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        const Module& module = file.modules[i];
        if (module.kind == ModuleKind::relocatable && module.linked_by.value_or(linked) == linked) {
            inputs.push_back(i);
        }
    }
    return inputs;
}

void add_subjects_of(const FileCoverage& file, std::size_t file_index, std::vector<Subject>& subjects) {
    Subject pool{Subject::Kind::pool, file_index, {}, true};
    const auto add = [&](Subject::Kind kind, std::vector<std::size_t> modules) {
        subjects.push_back({kind, file_index, std::move(modules), true});
    };
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        const Module& module = file.modules[i];
        switch (module.kind) {
        case ModuleKind::linked:
            if (auto modules = inputs_of(file, i); !modules.empty()) {
                modules.insert(modules.begin(), i);
                add(Subject::Kind::program, std::move(modules));
                break;
            }
            [[fallthrough]];
        case ModuleKind::registered:
            if (!holds_nothing(module)) {
                add(Subject::Kind::module, {i});
            }
            break;
        case ModuleKind::relocatable:
            if (file.role == FileRole::object && !holds_nothing(module)) {
                add(Subject::Kind::input, {i});
            }
            break;
        case ModuleKind::raw:
            if (file.role == FileRole::raw) {
                if (!holds_nothing(module)) {
                    add(Subject::Kind::module, {i});
                }
                break;
            }
            [[fallthrough]];
        case ModuleKind::embedded:
            if (!holds_nothing(module)) {
                pool.modules.push_back(i);
            }
            break;
        case ModuleKind::unregistered:
            break;
        }
    }
    if (!pool.modules.empty()) {
        subjects.push_back(std::move(pool));
    }
}

} // namespace

std::vector<Subject> subjects_of(const Coverage& coverage) {
    std::vector<Subject> subjects;
    for (std::size_t i = 0; i < coverage.files.size(); ++i) {
        add_subjects_of(coverage.files[i], i, subjects);
    }
    for (Subject& subject : subjects) {
        subject.certain = is_certain(coverage.files[subject.file], subject);
    }
    return subjects;
}

std::vector<std::string> kernels_of(const FileCoverage& file, const std::vector<std::size_t>& modules) {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> seen;
    for (const std::size_t module : modules) {
        for (const Image& image : file.modules[module].images) {
            for (const Kernel& kernel : image.kernels) {
                if (seen.insert(kernel.name).second) {
                    names.push_back(kernel.name);
                }
            }
        }
    }
    return names;
}

std::vector<std::string> kernels_of(const FileCoverage& file, const Subject& subject) {
    auto kernels = kernels_of(file, subject.modules);
    if (subject.kind == Subject::Kind::program) {
        std::vector<const Module*> inputs;
        std::transform(subject.modules.begin() + 1, subject.modules.end(), std::back_inserter(inputs),
                       [&](std::size_t index) { return &file.modules[index]; });
        const auto dropped = kernels_dropped_by_link(file, file.modules[subject.modules.front()], inputs);
        std::erase_if(kernels, [&](const std::string& kernel) { return dropped.contains(kernel) || is_device_runtime_kernel(kernel); });
    }
    return kernels;
}

bool is_specialised(const FileCoverage& file, const Subject& subject) {
    bool any = false;
    for (const std::size_t module : subject.modules) {
        for (const Image& image : file.modules[module].images) {
            const bool loadable = image.kind == ImageKind::sass || image.kind == ImageKind::ptx;
            if (!loadable || (image.payload_read && image.empty)) {
                continue;
            }
            if (image.arch.variant == Variant::plain) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

std::string display_name(const FileCoverage& file) { return file.member ? file.path + "!" + *file.member : file.path; }

std::string describe(const FileCoverage& file, const Subject& subject) {
    if (subject.kind == Subject::Kind::pool) {
        return fmt::format("the {} embedded container{} of {}", subject.modules.size(), subject.modules.size() == 1 ? "" : "s",
                           display_name(file));
    }
    const Module& module = file.modules[subject.modules.front()];
    return fmt::format("{} {} of {}", subject.kind == Subject::Kind::program ? "device-linked module" : "module", module.index,
                       display_name(file));
}

} // namespace cag
