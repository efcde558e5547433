// judge(coverage, rules): every requirement is held against every subject, and what is missing becomes a finding.
#include "policy/checks.hpp"
#include "policy/codes.hpp"
#include "policy/glob.hpp"
#include "policy/waivers.hpp"

#include "compat/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cag {
namespace {

void append(std::vector<Finding>& all, std::vector<Finding> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

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

// The inputs in which nothing was found that a requirement could be held against. One that could not be read has its own finding.
std::vector<Finding> inputs_without_code(const Coverage& coverage, const std::vector<Subject>& subjects, const Rules& rules) {
    std::vector<Finding> findings;
    for (const std::string& input : rules.inputs) {
        const bool judged = std::any_of(subjects.begin(), subjects.end(),
                                        [&](const Subject& subject) { return lies_in(coverage.files[subject.file], input); });
        const bool unreadable = std::any_of(coverage.files.begin(), coverage.files.end(),
                                            [&](const FileCoverage& file) { return !file.problems.empty() && lies_in(file, input); });
        if (!judged && !unreadable) {
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

Finding without_requirement(const Rules& rules) {
    Finding finding;
    finding.code = "CAG106";
    finding.path = rules.policy;
    finding.message = "no requirement is about any of these files, so nothing was judged";
    finding.fixes = {"add a requirement for them to the policy, at its top or in a section whose `paths` match"};
    return finding;
}

// What a subject lacks because it was built for other GPUs on purpose. A kernel that is absent beside its siblings is no such thing.
bool excused_by_intent(const Finding& finding) { return finding.code == "CAG101" || finding.code == "CAG102" || finding.code == "CAG103"; }

struct Answer {
    std::size_t file = 0;
    std::vector<Finding> findings;
    bool certain = true;
    bool excused = false; // by what it was built for

    [[nodiscard]] bool fails() const { return certain && std::any_of(findings.begin(), findings.end(), is_error); }
    [[nodiscard]] bool undecided() const {
        return std::any_of(findings.begin(), findings.end(), [this](const Finding& finding) {
            return !finding.waiver && (finding.code == "CAG107" || (!certain && is_error(finding)));
        });
    }
    [[nodiscard]] bool holds() const { return !fails() && !undecided(); }
};

struct Answers {
    std::vector<Answer> given;
    bool served = false;             // by something that needs no excuse
    std::vector<Answer> if_unserved; // of a part, where something is excused and nothing here serves: the answers without excuses
};

void excuse_by_intent(std::vector<Claim>& claims, bool strict) {
    for (Claim& claim : claims) {
        claim.finding = [inner = claim.finding, strict](const std::vector<std::string>& kernels) {
            Finding finding = inner(kernels);
            if (excused_by_intent(finding)) {
                finding.code = "CAG105";
                finding.level = strict ? Level::error : Level::note;
                finding.message += "; all its images are architecture- or family-specific";
            }
            return finding;
        };
    }
}

// --scope any: one subject of a library that holds the requirement is enough. Members of one archive are one library.
std::pair<std::string, std::string> library_of(const FileCoverage& file) {
    return {file.path, file.role == FileRole::object ? "" : file.member.value_or("")};
}

void let_one_answer_for_all(const Coverage& coverage, std::vector<Answer>& answers) {
    std::map<std::pair<std::string, std::string>, bool> held;
    for (const Answer& answer : answers) {
        held[library_of(coverage.files[answer.file])] |= answer.holds();
    }
    for (Answer& answer : answers) {
        const FileCoverage& file = coverage.files[answer.file];
        if (held[library_of(file)]) {
            answer.findings.clear();
        } else if (!file.problems.empty()) {
            answer.certain = false; // the part that could not be read might hold it
        }
    }
}

bool judges_subjects(const Requirement& requirement) {
    return requirement.kind == Requirement::Kind::sass || requirement.kind == Requirement::Kind::ptx ||
           requirement.kind == Requirement::Kind::runs_on;
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

// Everything that is the same for all requirements.
class Judging {
  public:
    Judging(const Coverage& coverage, const Rules& rules)
        : coverage_(coverage), rules_(rules), subjects_(subjects_of(coverage)), waivers_(rules.waivers, rules.today) {
        for (const FileCoverage& file : coverage.files) {
            std::size_t section = 0;
            while (section < rules.sections.size() && !any_path_matches(rules.sections[section].paths, display_name(file))) {
                ++section;
            }
            section_of_.push_back(section);
        }
        if (std::any_of(rules.requirements.begin(), rules.requirements.end(),
                        [](const Requirement& requirement) { return requirement.kind == Requirement::Kind::runs_on; })) {
            linked_ = as_if_linked(coverage);
        }
    }

    [[nodiscard]] const std::vector<Subject>& subjects() const { return subjects_; }

    // Of files as a whole, whatever is required.
    [[nodiscard]] std::vector<Finding> sizes() {
        std::vector<Finding> findings;
        for (const FileFinding& found : check_size(coverage_)) {
            const Claim claim{{}, [&](const auto&) { return found.finding; }};
            append(findings, waivers_.told(coverage_.files[found.file], claim));
        }
        return findings;
    }

    // They lie in the policy file.
    [[nodiscard]] std::vector<Finding> stale_waivers() const {
        auto findings = waivers_.stale(coverage_);
        for (Finding& finding : findings) {
            finding.path = rules_.policy;
        }
        return findings;
    }

    // False where none of the files is one that the requirement is about.
    [[nodiscard]] bool concerns_input(const Requirement& requirement) const {
        if (requirement.kind == Requirement::Kind::present) {
            return is_package();
        }
        for (std::size_t i = 0; i < section_of_.size(); ++i) {
            if (is_about(requirement, i)) {
                return true;
            }
        }
        return false;
    }

    // Nothing where the requirement holds.
    [[nodiscard]] Answers answers_for(const Requirement& requirement) {
        if (requirement.kind == Requirement::Kind::present) {
            return {{{0, absent_files(requirement), true, false}}, false, {}};
        }
        if (judges_subjects(requirement)) {
            return answers_of_subjects(requirement);
        }
        Answers answers;
        if (requirement.kind == Requirement::Kind::claims) {
            for (const FileFinding& found : rules_.claims(coverage_)) {
                const Claim claim{{}, [&](const auto&) { return found.finding; }};
                answers.given.push_back(told(found.file, {claim}, found.certain));
            }
            return answers;
        }
        for (std::size_t i = 0; i < coverage_.files.size(); ++i) {
            if (is_about(requirement, i)) {
                answers.given.push_back(told(i, check_forbidden(coverage_.files[i], requirement), true));
            }
        }
        return answers;
    }

  private:
    [[nodiscard]] bool is_about(const Requirement& requirement, std::size_t file) const {
        const auto& sections = requirement.sections;
        return sections.empty() || std::find(sections.begin(), sections.end(), section_of_[file]) != sections.end();
    }

    // A program takes other modules where one is made for other GPUs; where there are none that do, nothing excuses it.
    [[nodiscard]] Answers answers_of_subjects(const Requirement& requirement) {
        const Prediction prediction = prediction_for(linked_, requirement);
        const auto ask = [&](bool excuse) {
            std::vector<Answer> answers;
            for (const Subject& subject : subjects_) {
                if (is_about(requirement, subject.file)) {
                    answers.push_back(answer_for(subject, requirement, prediction, excuse));
                }
            }
            return answers;
        };
        Answers answers{ask(true), false, {}};
        answers.served = may_serve(answers.given);
        const bool any_excused =
            std::any_of(answers.given.begin(), answers.given.end(), [](const Answer& answer) { return answer.excused; });
        if (any_excused && !answers.served) {
            (rules_.part ? answers.if_unserved : answers.given) = ask(false);
        }
        if (requirement.scope == Scope::any) {
            let_one_answer_for_all(coverage_, answers.given);
            let_one_answer_for_all(coverage_, answers.if_unserved);
        }
        return answers;
    }

    [[nodiscard]] bool may_serve(const std::vector<Answer>& answers) const {
        return std::any_of(answers.begin(), answers.end(), [](const Answer& answer) { return !answer.excused && answer.holds(); }) ||
               std::any_of(coverage_.files.begin(), coverage_.files.end(), [](const FileCoverage& file) { return !file.problems.empty(); });
    }

    [[nodiscard]] Answer told(std::size_t file, const std::vector<Claim>& claims, bool certain) {
        Answer answer{file, {}, certain, false};
        for (const Claim& claim : claims) {
            append(answer.findings, waivers_.told(coverage_.files[file], claim));
        }
        return answer;
    }

    [[nodiscard]] Answer answer_for(const Subject& subject, const Requirement& requirement, const Prediction& prediction, bool excuse) {
        const CheckedSubject checked{coverage_.files[subject.file], subject};
        auto claims = requirement.kind == Requirement::Kind::runs_on ? check_outcomes(checked, requirement, prediction.files[subject.file])
                                                                     : check_images(checked, requirement);
        const bool excused = excuse && !claims.empty() && is_specialised(checked.file, subject);
        if (excused) {
            excuse_by_intent(claims, rules_.strict);
        }
        Answer answer = told(subject.file, claims, subject.certain);
        answer.excused = excused;
        return answer;
    }

    // A single file is verified for itself; that its siblings are there can be asked of folders and archives.
    [[nodiscard]] bool is_package() const {
        return std::any_of(rules_.inputs.begin(), rules_.inputs.end(), [&](const std::string& input) {
            return std::none_of(coverage_.files.begin(), coverage_.files.end(),
                                [&](const FileCoverage& file) { return file.path == input && !file.member; });
        });
    }

    [[nodiscard]] std::vector<Finding> absent_files(const Requirement& requirement) const {
        std::vector<Finding> findings;
        for (const std::string& pattern : rules_.sections[requirement.sections.front()].paths) {
            const bool there = std::any_of(coverage_.files.begin(), coverage_.files.end(),
                                           [&](const FileCoverage& file) { return path_matches(pattern, display_name(file)); });
            if (!there) {
                Finding finding;
                finding.code = "CAG109";
                finding.path = pattern;
                finding.message = fmt::format("{} is required, and none of the files has this name", pattern);
                finding.fixes = {"put the file back, or take its name out of `paths` of the policy"};
                findings.push_back(std::move(finding));
            }
        }
        return findings;
    }

    const Coverage& coverage_;
    const Rules& rules_;
    std::vector<Subject> subjects_;
    Waivers waivers_;
    std::vector<std::size_t> section_of_; // by file; the number of sections for a file that none is about
    Coverage linked_;                     // for predictions
};

// Adds what is wrong to `findings`, and says whether the requirement holds.
Verdict sum_up(std::vector<Answer> answers, std::size_t index, std::vector<Finding>& findings) {
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

RequirementResult judge_one(Judging& judging, const Requirement& requirement, bool of_part, std::size_t index,
                            std::vector<Finding>& findings) {
    Answers answers = judging.answers_for(requirement);
    RequirementResult result{requirement, sum_up(std::move(answers.given), index, findings)};
    if (of_part && judges_subjects(requirement)) {
        PartResult& part = result.part.emplace();
        part.served = answers.served;
        part.if_unserved = sum_up(std::move(answers.if_unserved), index, part.findings_unserved);
    }
    return result;
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
    Judging judging{coverage, rules};
    Judgement judgement;
    judgement.waivers = rules.waivers;
    judgement.policy = rules.policy;
    for (const Requirement& requirement : rules.requirements) {
        if (judging.concerns_input(requirement)) {
            const std::size_t index = judgement.requirements.size();
            judgement.requirements.push_back(judge_one(judging, requirement, rules.part, index, judgement.findings));
        }
    }
    const auto problems = input_problems(coverage);
    const auto empty = rules.allow_empty ? std::vector<Finding>{} : inputs_without_code(coverage, judging.subjects(), rules);
    const bool decided =
        problems.empty() && empty.empty() && !judgement.requirements.empty() && (rules.allow_empty || !judging.subjects().empty());

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
    if (judgement.requirements.empty()) {
        append(judgement.findings, {without_requirement(rules)});
    }
    append(judgement.findings, judging.sizes());
    append(judgement.findings, unregistered_containers(coverage));
    append(judgement.findings, judging.stale_waivers());
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
