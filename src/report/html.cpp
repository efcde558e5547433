// The HTML report: one file that needs nothing else, readable without scripts. The page with its style and its script is
// cmake/Templates/report.html; here stands what changes from report to report.
#include "report/html.hpp"

#include "policy/parse.hpp"
#include "report/finding_groups.hpp"
#include "report/predict_causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace cag {
namespace {

constexpr std::string_view html_template =
#include "report/html_template.inc" // cmake/Templates/report.html as a raw string
    ;

const char* class_of(Level level) { return level == Level::error ? "bad" : level == Level::warning ? "caution" : "note"; }

const char* class_of(Verdict verdict) { return verdict == Verdict::pass ? "good" : verdict == Verdict::fail ? "bad" : "caution"; }

const char* symbol_of(Verdict verdict) { return verdict == Verdict::pass ? "✓" : verdict == Verdict::fail ? "✗" : "?"; }

struct Summary {
    Verdict verdict = Verdict::pass;
    std::string text;
};

// The answer in a line, whatever the command was.
Summary summary_of(const ScanReport& report) {
    if (report.judgement != nullptr) {
        return {report.judgement->verdict, headline(*report.judgement)};
    }
    std::size_t modules = 0;
    bool damaged = false;
    for (const FileCoverage& file : report.coverage.files) {
        modules += file.modules.size();
        damaged = damaged || !file.problems.empty();
    }
    std::map<OutcomeKind, std::size_t> pairs; // of GPU and driver, on which some kernel has this fate
    for (const PredictionRun& run : report.runs) {
        std::set<OutcomeKind> fates;
        for (const FilePrediction& file : run.prediction.files) {
            for (const ModulePrediction& module : file.modules) {
                for (const Outcome& outcome : module.outcomes) {
                    fates.insert(outcome.kind);
                }
            }
        }
        for (const OutcomeKind fate : fates) {
            ++pairs[fate];
        }
    }
    const std::string what = fmt::format("{}, {}", counted(report.coverage.files.size(), "file"), counted(modules, "module"));
    if (pairs[OutcomeKind::fails] != 0) {
        return {Verdict::fail, fmt::format("{}: kernels fail on {} of {} of GPU and driver", what, pairs[OutcomeKind::fails],
                                           counted(report.runs.size(), "pair"))};
    }
    if (damaged || pairs[OutcomeKind::unknown] != 0) {
        return {Verdict::undecided, what + (damaged ? ": a part could not be read" : ": not everything is known")};
    }
    return {Verdict::pass, what + (report.runs.empty() ? " read" : ": every kernel runs")};
}

std::string how_to_fix(const std::string& whose, const std::vector<std::string>& fixes) {
    std::string html = fmt::format("<p><strong>How to fix it{}</strong></p><pre>", whose.empty() ? "" : " for " + html_text(whose));
    for (const std::string& fix : fixes) {
        html += html_text(fix) + '\n';
    }
    return html + "</pre>\n";
}

std::string finding(const FindingGroup& group) {
    const Finding& first = *group.first;
    std::string html =
        fmt::format("<article class=\"finding\"><h3><span class=\"tag {}\">{} {}</span>{}</h3>\n<p>{}</p>\n", class_of(first.level),
                    first.code, to_string(first.level), html_text(file_of(first)), html_text(first.message));
    for (const std::string& line : others_in(group)) {
        html += fmt::format("<p>{}</p>\n", html_text(line));
    }
    if (!first.fixes.empty() && !first.waiver) {
        html += how_to_fix("", first.fixes);
    }
    return html + "</article>\n";
}

std::string judgement_html(const Judgement& judgement) {
    std::string html = "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n";
    const auto groups = grouped(judgement.findings);
    html += groups.empty() ? "<p>None.</p>\n" : "";
    for (const FindingGroup& group : groups) {
        html += finding(group);
    }
    html += "</section>\n<section aria-labelledby=\"requirements\"><h2 id=\"requirements\">Requirements</h2>\n<div class=\"wide\"><table "
            "class=\"sortable\"><thead><tr><th scope=\"col\">Result<th scope=\"col\">Requirement</thead><tbody>\n";
    for (const RequirementResult& result : judgement.requirements) {
        html += fmt::format("<tr><td class=\"{}\">{} {}<td>{}\n", class_of(result.verdict), symbol_of(result.verdict),
                            to_string(result.verdict), html_text(to_string(result.requirement)));
    }
    return html + "</tbody></table></div></section>\n";
}

// Why kernels fail or may fail, and what helps: what `predict` says in text.
std::string causes_html(const ScanReport& report) {
    std::string html;
    for (const OutcomeKind kind : {OutcomeKind::fails, OutcomeKind::unknown}) {
        for (const Cause& cause : causes_of(report.runs, kind)) {
            const ToldCause told = tell(report.coverage, report.runs, cause);
            html += fmt::format("<article class=\"finding\"><h3><span class=\"tag {}\">{}</span>{}</h3>\n<p>{}</p>\n",
                                kind == OutcomeKind::fails ? "bad" : "caution", html_text(told.what), html_text(told.where),
                                html_text(told.extent));
            html += told.reasons.empty()
                        ? ""
                        : fmt::format("<p>Why{}: {}</p>\n", told.reasons_of.empty() ? "" : ", " + html_text(told.reasons_of),
                                      html_text(fmt::format("{}", fmt::join(told.reasons, "; "))));
            for (const auto& [whose, fixes] : told.fixes) {
                html += how_to_fix(whose, fixes);
            }
            html += fmt::format("<p class=\"quiet\">confidence: {}</p></article>\n", to_string(cause.confidence));
        }
    }
    return html.empty() ? html : "<section aria-labelledby=\"causes\"><h2 id=\"causes\">Causes</h2>\n" + html + "</section>\n";
}

std::string problems_html(const Coverage& coverage) {
    std::string html;
    for (const FileCoverage& file : coverage.files) {
        for (const Problem& problem : file.problems) {
            html +=
                fmt::format("<article class=\"finding\"><h3><span class=\"tag bad\">{}</span>{}</h3><p>{}</p></article>\n", problem.code,
                            html_text(file.member ? file.path + "!" + *file.member : file.path), html_text(problem.message));
        }
    }
    return html.empty() ? html : "<section aria-labelledby=\"problems\"><h2 id=\"problems\">Not read</h2>\n" + html + "</section>\n";
}

std::string floors_html(const std::vector<PredictionRun>& runs) {
    std::string html =
        "<section aria-labelledby=\"drivers\"><h2 id=\"drivers\">Drivers</h2>\n<div class=\"wide\"><table class=\"sortable\"><thead>"
        "<tr><th scope=\"col\">GPU<th scope=\"col\">Asked with driver<th scope=\"col\">Every kernel runs from "
        "driver</thead><tbody>\n";
    for (const PredictionRun& run : runs) {
        const std::string capability = to_string(run.gpu.capability);
        html +=
            fmt::format("<tr><td>{}<td>{}<td>{}\n", html_text(run.gpu.name.empty() ? capability : run.gpu.name + " (" + capability + ")"),
                        html_text(run.driver.name),
                        run.floor ? html_text(fmt::format("{} (CUDA {}){}", run.floor->driver.name, to_string(run.floor->driver.cuda),
                                                          run.floor->reason.empty() ? "" : "; " + run.floor->reason))
                                  : "none");
    }
    return html + "</tbody></table></div></section>\n";
}

std::string filled(std::string_view page, const std::map<std::string_view, std::string>& values) {
    std::string html;
    while (true) {
        const auto begin = page.find("{{");
        const auto end = page.find("}}", begin);
        if (begin == std::string_view::npos || end == std::string_view::npos) {
            return html.append(page);
        }
        html.append(page.substr(0, begin)).append(values.at(page.substr(begin + 2, end - begin - 2)));
        page.remove_prefix(end + 2);
    }
}

} // namespace

std::string html_text(std::string_view text) {
    std::string html;
    for (const char c : printable(text)) {
        switch (c) {
        case '&':
            html += "&amp;";
            break;
        case '<':
            html += "&lt;";
            break;
        case '>':
            html += "&gt;";
            break;
        case '"':
            html += "&quot;";
            break;
        case '\'':
            html += "&#39;";
            break;
        default:
            html += c;
        }
    }
    return html;
}

std::string report_html(const ScanReport& report) {
    const Summary summary = summary_of(report);
    std::string content = fmt::format(
        "<header><h1>GPU coverage: cuda-arch-guard {}</h1>\n<p class=\"verdict {}\" id=\"verdict\">{} {}</p>\n"
        "<p class=\"quiet\">cuda-arch-guard {}{}</p></header>\n<main id=\"content\">\n",
        report.command, class_of(summary.verdict), symbol_of(summary.verdict), html_text(summary.text), program_version(),
        report.judgement != nullptr && !report.judgement->policy.empty() ? ", policy " + html_text(report.judgement->policy) : "");
    content += report.judgement != nullptr ? judgement_html(*report.judgement) : problems_html(report.coverage) + causes_html(report);
    content += html_overview(report);
    content += report.runs.empty() ? "" : floors_html(report.runs);
    content += html_sizes(report.coverage) + html_files(report) + "</main>";
    return filled(html_template,
                  {{"title", fmt::format("cuda-arch-guard {}: {}", report.command, html_text(summary.text))}, {"content", content}});
}

} // namespace cag
