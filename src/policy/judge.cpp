// judge(coverage, rules): every requirement is held against every subject, and what is missing becomes a finding.
#include "policy/checks.hpp"
#include "policy/codes.hpp"

#include "compat/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cag {
namespace {

bool is_error(const Finding& finding) { return finding.level == Level::error; }

std::vector<Finding> input_problems(const Coverage& coverage) {
    std::vector<Finding> findings;
    for (const FileCoverage& file : coverage.files) {
        for (const Problem& problem : file.problems) {
            Finding finding;
            finding.code = problem.code;
            if (const DiagnosticCode* code = find_code(problem.code)) {
                finding.level = code->level;
                finding.fixes = {std::string{code->fix}};
            }
            finding.path = file.path;
            finding.member = file.member;
            finding.message = fmt::format("{}: {}{}", display_name(file), problem.message,
                                          problem.offset ? fmt::format(" (offset {})", *problem.offset) : "");
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

std::vector<Finding> unregistered_containers(const Coverage& coverage) {
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < coverage.files.size(); ++i) {
        const FileCoverage& file = coverage.files[i];
        std::vector<std::size_t> modules;
        for (const Module& module : file.modules) {
            const bool holds_something = std::any_of(module.images.begin(), module.images.end(),
                                                     [](const Image& image) { return !(image.payload_read && image.empty); });
            if (module.kind == ModuleKind::unregistered && holds_something) {
                modules.push_back(module.index);
            }
        }
        if (!modules.empty()) {
            const Subject subject{Subject::Kind::pool, i, modules, true};
            Finding finding = finding_in({file, subject}, "CAG108",
                                         fmt::format("{} of the containers of {} {} not registered with the CUDA runtime, and not judged",
                                                     modules.size(), display_name(file), modules.size() == 1 ? "is" : "are"));
            finding.level = Level::note;
            finding.kernels = kernels_of(file, modules);
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

bool lies_in(const FileCoverage& file, const std::string& input) {
    return file.path == input || (file.path.starts_with(input) && (input.ends_with('/') || file.path[input.size()] == '/'));
}

// The inputs in which nothing was found that a requirement could be held against.
std::vector<Finding> inputs_without_code(const Coverage& coverage, const std::vector<Subject>& subjects, const Rules& rules) {
    std::vector<Finding> findings;
    for (const std::string& input : rules.inputs) {
        const bool judged = std::any_of(subjects.begin(), subjects.end(),
                                        [&](const Subject& subject) { return lies_in(coverage.files[subject.file], input); });
        if (!judged) {
            Finding finding;
            finding.code = "CAG106";
            finding.path = input;
            finding.message = fmt::format("{} holds no device code that the driver would load, so there is nothing to judge", input);
            finding.fixes = {"check the path; where a file without device code is intended, pass --allow-empty"};
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

// What a subject lacks because it was built for other GPUs on purpose. A kernel that is absent beside its siblings is no such thing.
bool excused_by_intent(const Finding& finding) { return finding.code == "CAG101" || finding.code == "CAG102" || finding.code == "CAG103"; }

struct Answer {
    std::vector<Finding> findings;
    bool certain = true;

    [[nodiscard]] bool fails() const { return certain && std::any_of(findings.begin(), findings.end(), is_error); }
    [[nodiscard]] bool undecided() const {
        return std::any_of(findings.begin(), findings.end(),
                           [this](const Finding& finding) { return finding.code == "CAG107" || (!certain && is_error(finding)); });
    }
    [[nodiscard]] bool holds() const { return !fails() && !undecided(); }
};

Answer answer_for(const CheckedSubject& checked, const Requirement& requirement, const Prediction& prediction, bool strict) {
    Answer answer;
    answer.certain = checked.subject.certain;
    answer.findings = requirement.kind == Requirement::Kind::runs_on
                          ? check_outcomes(checked, requirement, prediction.files[checked.subject.file])
                          : check_images(checked, requirement);
    if (!answer.findings.empty() && is_specialised(checked.file, checked.subject)) {
        for (Finding& finding : answer.findings) {
            if (excused_by_intent(finding)) {
                finding.code = "CAG105";
                finding.level = strict ? Level::error : Level::note;
                finding.message += "; all its images are architecture- or family-specific";
            }
        }
    }
    return answer;
}

// --scope any: one subject of a library that holds the requirement is enough. Members of one archive are one library.
std::pair<std::string, std::string> library_of(const FileCoverage& file) {
    return {file.path, file.role == FileRole::object ? "" : file.member.value_or("")};
}

void let_one_answer_for_all(const Coverage& coverage, const std::vector<Subject>& subjects, std::vector<Answer>& answers) {
    std::map<std::pair<std::string, std::string>, bool> held;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        held[library_of(coverage.files[subjects[i].file])] |= answers[i].holds();
    }
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        if (held[library_of(coverage.files[subjects[i].file])]) {
            answers[i].findings.clear();
        } else if (!coverage.files[subjects[i].file].problems.empty()) {
            answers[i].certain = false; // the part that could not be read might hold it
        }
    }
}

Prediction prediction_for(const Coverage& coverage, const Requirement& requirement) {
    if (requirement.kind != Requirement::Kind::runs_on) {
        return {};
    }
    const Driver driver = requirement.driver ? *requirement.driver : newest_driver_for(*requirement.gpu);
    Prediction sparse = predict(coverage, *requirement.gpu, driver, requirement.environment);
    Prediction by_file;
    by_file.files.resize(coverage.files.size());
    for (FilePrediction& file : sparse.files) {
        by_file.files[file.file] = std::move(file);
    }
    return by_file;
}

Verdict judge_one(const Coverage& coverage, const Coverage& linked, const std::vector<Subject>& subjects, const Rules& rules,
                  std::size_t index, std::vector<Finding>& findings) {
    const Requirement& requirement = rules.requirements[index];
    const Prediction prediction = prediction_for(linked, requirement);
    std::vector<Answer> answers;
    answers.reserve(subjects.size());
    for (const Subject& subject : subjects) {
        answers.push_back(answer_for({coverage.files[subject.file], subject}, requirement, prediction, rules.strict));
    }
    if (rules.scope == Scope::any) {
        let_one_answer_for_all(coverage, subjects, answers);
    }
    Verdict verdict = Verdict::pass;
    for (Answer& answer : answers) {
        if (answer.fails()) {
            verdict = Verdict::fail;
        } else if (answer.undecided() && verdict == Verdict::pass) {
            verdict = Verdict::undecided;
        }
        for (Finding& finding : answer.findings) {
            finding.requirement = index;
            if (!answer.certain && is_error(finding)) {
                finding.level = Level::warning;
                finding.message += "; not certain, because a part of the file could not be read";
            }
            findings.push_back(std::move(finding));
        }
    }
    return verdict;
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

Finding finding_in(const CheckedSubject& checked, const char* code, std::string message) {
    Finding finding;
    finding.code = code;
    finding.path = checked.file.path;
    finding.member = checked.file.member;
    if (checked.subject.kind != Subject::Kind::pool) {
        finding.module = checked.file.modules[checked.subject.modules.front()].index;
    }
    finding.message = std::move(message);
    return finding;
}

Judgement judge(const Coverage& coverage, const Rules& rules) {
    const auto subjects = subjects_of(coverage);
    const bool predicts = std::any_of(rules.requirements.begin(), rules.requirements.end(),
                                      [](const Requirement& requirement) { return requirement.kind == Requirement::Kind::runs_on; });
    const Coverage linked = predicts ? as_if_linked(coverage) : Coverage{};
    Judgement judgement;
    for (std::size_t i = 0; i < rules.requirements.size(); ++i) {
        judgement.requirements.push_back({rules.requirements[i], judge_one(coverage, linked, subjects, rules, i, judgement.findings)});
    }
    const auto problems = input_problems(coverage);
    const auto empty = rules.allow_empty ? std::vector<Finding>{} : inputs_without_code(coverage, subjects, rules);
    const bool decided = problems.empty() && empty.empty() && (rules.allow_empty || !subjects.empty());

    judgement.verdict = decided ? Verdict::pass : Verdict::undecided;
    for (RequirementResult& result : judgement.requirements) {
        if (!decided && result.verdict == Verdict::pass) {
            result.verdict = Verdict::undecided;
        }
        if (result.verdict == Verdict::fail) {
            judgement.verdict = Verdict::fail;
        } else if (result.verdict == Verdict::undecided && judgement.verdict == Verdict::pass) {
            judgement.verdict = Verdict::undecided;
        }
    }
    append(judgement.findings, problems);
    append(judgement.findings, empty);
    append(judgement.findings, unregistered_containers(coverage));
    std::stable_sort(judgement.findings.begin(), judgement.findings.end(),
                     [](const Finding& left, const Finding& right) { return left.level < right.level; });
    return judgement;
}

const char* to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::pass:
        return "pass";
    case Verdict::fail:
        return "fail";
    case Verdict::undecided:
        break;
    }
    return "undecided";
}

const char* to_string(Level level) {
    switch (level) {
    case Level::error:
        return "error";
    case Level::warning:
        return "warning";
    case Level::note:
        break;
    }
    return "note";
}

} // namespace cag
