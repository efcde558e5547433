// `verify` as Markdown, for job summaries and pull requests.
#include "policy/parse.hpp"
#include "report/finding_groups.hpp"
#include "report/markdown.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

const char* symbol_of(Verdict verdict) { return verdict == Verdict::pass ? "✅" : verdict == Verdict::fail ? "❌" : "❔"; }

std::string section(const FindingGroup& group) {
    const Finding& finding = *group.first;
    std::string text = fmt::format("### {} {}\n\n{}\n\n", finding.code, to_string(finding.level), markdown_escaped(finding.message));
    for (const std::string& line : others_in(group)) {
        text += fmt::format("- {}\n", markdown_escaped(line));
    }
    text += group.others.empty() ? "" : "\n";
    for (const std::string& fix : finding.fixes) {
        text += fmt::format("    {}\n", printable(fix)); // indented: a code block that no content can end
    }
    return text + '\n';
}

} // namespace

std::string verify_markdown(const Judgement& judgement) {
    std::string text = fmt::format("## {} cuda-arch-guard: {}\n\n| requirement | result |\n|---|---|\n", symbol_of(judgement.verdict),
                                   headline(judgement));
    for (const RequirementResult& result : judgement.requirements) {
        text += fmt::format("| {} | {} {} |\n", markdown_escaped(to_string(result.requirement)), symbol_of(result.verdict),
                            to_string(result.verdict));
    }
    text += '\n';
    for (const FindingGroup& group : grouped(judgement.findings)) {
        text += section(group);
    }
    return text;
}

} // namespace cag
