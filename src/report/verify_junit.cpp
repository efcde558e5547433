// `verify` as JUnit XML, for CI dashboards: one case a requirement and file, so that a clean run shows what was held. What a
// waiver excuses is a skipped case.
#include "policy/parse.hpp"
#include "policy/subject.hpp"
#include "report/finding_groups.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <sstream>

namespace cag {
namespace {

struct CaseFindings {
    std::vector<const Finding*> errors;
    std::vector<const Finding*> undecided;
    std::vector<const Finding*> waived;
};

bool is_about_waiver(const Finding& finding) { return finding.code == "CAG509"; }

// Findings of one file and one requirement; those without a requirement (damage, nothing to judge) concern every requirement.
CaseFindings findings_for(const Judgement& judgement, const std::string& file, std::size_t requirement) {
    CaseFindings found;
    for (const Finding& finding : judgement.findings) {
        if (file_of(finding) != file || (finding.requirement && *finding.requirement != requirement)) {
            continue;
        }
        if (finding.waiver) {
            found.waived.push_back(&finding);
        } else if (finding.level == Level::error && finding.requirement) {
            found.errors.push_back(&finding);
        } else if (finding.level == Level::error || finding.code == "CAG107" ||
                   (finding.level == Level::warning && finding.code.starts_with("CAG1"))) {
            found.undecided.push_back(&finding);
        }
    }
    return found;
}

void add_messages(pugi::xml_node test_case, const char* element, const std::vector<const Finding*>& findings) {
    pugi::xml_node node = test_case.append_child(element);
    std::string text;
    for (const Finding* finding : findings) {
        text += fmt::format("{} {}\n", finding->code, printable(finding->message));
        for (const std::string& fix : finding->fixes) {
            text += fmt::format("  {}\n", printable(fix));
        }
    }
    node.append_attribute("type") = findings.front()->code.c_str();
    node.append_attribute("message") = printable(findings.front()->message).c_str();
    node.text() = text.c_str();
}

// Files that have a part in the verdict, each once.
std::vector<std::string> files_of(const Coverage& coverage, const Judgement& judgement) {
    std::vector<std::string> files;
    const auto add = [&](const std::string& name) {
        if (std::find(files.begin(), files.end(), name) == files.end()) {
            files.push_back(name);
        }
    };
    for (const FileCoverage& file : coverage.files) {
        if (!file.modules.empty() || !file.problems.empty()) {
            add(display_name(file));
        }
    }
    for (const Finding& finding : judgement.findings) {
        if (!is_about_waiver(finding)) {
            add(file_of(finding));
        }
    }
    return files;
}

// Waivers that have expired or excuse nothing fail nothing, and are told all the same.
void add_waivers(pugi::xml_node suites, const Judgement& judgement) {
    std::string text;
    for (const Finding& finding : judgement.findings) {
        text += is_about_waiver(finding) ? fmt::format("{} {}\n", finding.code, printable(finding.message)) : "";
    }
    if (text.empty()) {
        return;
    }
    pugi::xml_node suite = suites.append_child("testsuite");
    suite.append_attribute("name") = printable(judgement.policy).c_str();
    suite.append_attribute("tests") = 1;
    for (const char* none : {"failures", "errors", "skipped"}) {
        suite.append_attribute(none) = 0;
    }
    pugi::xml_node test_case = suite.append_child("testcase");
    test_case.append_attribute("classname") = printable(judgement.policy).c_str();
    test_case.append_attribute("name") = "waivers";
    test_case.append_child("system-out").text() = text.c_str();
}

} // namespace

std::string verify_junit(const Coverage& coverage, const Judgement& judgement) {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node suites = document.append_child("testsuites");
    suites.append_attribute("name") = "cuda-arch-guard";
    for (const std::string& file : files_of(coverage, judgement)) {
        pugi::xml_node suite = suites.append_child("testsuite");
        suite.append_attribute("name") = printable(file).c_str();
        std::size_t failures = 0;
        std::size_t errors = 0;
        std::size_t skipped = 0;
        suite.append_attribute("tests") = judgement.requirements.size();
        pugi::xml_attribute failures_attribute = suite.append_attribute("failures");
        pugi::xml_attribute errors_attribute = suite.append_attribute("errors");
        pugi::xml_attribute skipped_attribute = suite.append_attribute("skipped");
        for (std::size_t i = 0; i < judgement.requirements.size(); ++i) {
            pugi::xml_node test_case = suite.append_child("testcase");
            test_case.append_attribute("classname") = printable(file).c_str();
            test_case.append_attribute("name") = printable(to_string(judgement.requirements[i].requirement)).c_str();
            const CaseFindings found = findings_for(judgement, file, i);
            if (!found.errors.empty()) {
                add_messages(test_case, "failure", found.errors);
                ++failures;
            } else if (!found.undecided.empty()) {
                add_messages(test_case, "error", found.undecided);
                ++errors;
            } else if (!found.waived.empty()) {
                add_messages(test_case, "skipped", found.waived);
                ++skipped;
            }
        }
        failures_attribute = failures;
        errors_attribute = errors;
        skipped_attribute = skipped;
    }
    add_waivers(suites, judgement);
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
}

} // namespace cag
