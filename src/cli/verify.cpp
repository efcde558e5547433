// verify PATH... REQUIREMENT...: the gate.
#include "cli/commands.hpp"
#include "cli/local.hpp"
#include "cli/output.hpp"
#include "cli/policy_source.hpp"
#include "cli/pyproject.hpp"
#include "cli/read.hpp"
#include "cli/report_file.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace cag {
namespace {

// The policy that is asked for, or the nearest one where the command line requires nothing.
Result<void> add_policy_to(Rules& rules, const VerifyOptions& options) {
    const auto file = !options.policy.empty() || !rules.requirements.empty() ? std::optional{options.policy} : nearest_policy();
    if (!file) {
        return failure(
            "CAG505",
            fmt::format("expected at least one requirement, found none, and no {} in this folder or above; allowed are "
                        "--require-sass, --require-ptx, --runs-on, --claims, --lab and --policy, as in: cuda-arch-guard verify lib.so "
                        "--require-sass 80,90",
                        policy_file_name));
    }
    if (file->empty()) {
        return {};
    }
    const auto policy = load_policy(*file, rules.today);
    if (!policy) {
        return tl::unexpected(policy.error());
    }
    add_policy(rules, *policy, *file);
    return {};
}

Result<Rules> rules_of(const VerifyOptions& options) {
    RequirementTexts texts = options.requirements;
    const auto environment = parse_environment(options.environment);
    if (!environment) {
        return tl::unexpected(environment.error());
    }
    texts.environment = *environment;
    if (const auto done = replace_local(texts.runs_on, texts.drivers); !done) {
        return tl::unexpected(done.error());
    }
    const auto requirements = parse_requirements(texts);
    if (!requirements) {
        return tl::unexpected(requirements.error());
    }
    if (options.lab.empty() && !options.machines.empty()) {
        return failure("CAG505", fmt::format("expected --lab FILE beside --machine {}, found none", options.machines.front()));
    }
    Rules rules;
    const auto day = day_asked(options.date);
    if (!day) {
        return tl::unexpected(day.error());
    }
    rules.today = *day;
    rules.requirements = *requirements;
    if (options.input.claims) {
        const auto claim_texts = read_claim_texts(options.input);
        if (!claim_texts) {
            return tl::unexpected(claim_texts.error());
        }
        Requirement claims;
        claims.kind = Requirement::Kind::claims;
        rules.requirements.push_back(std::move(claims));
        rules.claims = [inputs = options.input.paths, claim_texts = *claim_texts](const Coverage& coverage) {
            return claim_findings(coverage, inputs, claim_texts);
        };
    }
    if (!options.lab.empty()) {
        Requirement each;
        each.environment = *environment;
        const auto of_lab = lab_requirements(options.lab, options.machines, each, rules.today);
        if (!of_lab) {
            return tl::unexpected(of_lab.error());
        }
        rules.requirements.insert(rules.requirements.end(), of_lab->begin(), of_lab->end());
    }
    rules.strict = options.strict;
    rules.part = !options.input.shard.empty();
    rules.allow_empty = options.allow_empty || rules.part; // a part may be empty; `merge` sees the whole
    rules.inputs = options.input.paths;
    if (const auto added = add_policy_to(rules, options); !added) {
        return tl::unexpected(added.error());
    }
    return rules;
}

Result<std::optional<SarifAnchor>> anchor_of(const std::string& text) {
    if (text.empty()) {
        return std::optional<SarifAnchor>{};
    }
    const auto colon = text.rfind(':');
    SarifAnchor anchor;
    if (colon != std::string::npos && colon != 0) {
        anchor.file = text.substr(0, colon);
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, anchor.line);
        if (error == std::errc{} && stop == end && anchor.line > 0) {
            return anchor;
        }
    }
    return failure("CAG505",
                   fmt::format("expected FILE:LINE for --sarif-anchor, found `{}`; lines count from 1, as in CMakeLists.txt:12", text));
}

struct Answer {
    Coverage coverage;
    Judgement judgement;
    std::optional<SarifAnchor> anchor;

    [[nodiscard]] ScanReport report(std::vector<PredictionRun> runs = {}) const {
        return {"verify", coverage, &judgement, std::move(runs)};
    }
};

// What the GPUs of --runs-on do, for the report that shows it kernel by kernel.
std::vector<PredictionRun> runs_of(const Answer& answer) {
    std::vector<PredictionRun> runs;
    std::set<std::string> known;
    for (const RequirementResult& result : answer.judgement.requirements) {
        const Requirement& requirement = result.requirement;
        if (requirement.kind != Requirement::Kind::runs_on) {
            continue;
        }
        const Driver driver = requirement.driver ? *requirement.driver : newest_driver_for(*requirement.gpu);
        if (known.insert(requirement.text + "|" + driver.name).second) {
            runs.push_back({*requirement.gpu, driver, requirement.environment,
                            predict(answer.coverage, *requirement.gpu, driver, requirement.environment),
                            driver_floor(answer.coverage, *requirement.gpu, requirement.environment)});
        }
    }
    return runs;
}

// Every requirement, also those that concern none of the files of this part.
std::vector<std::string> asked(const Rules& rules) {
    std::vector<std::string> texts;
    std::ranges::transform(rules.requirements, std::back_inserter(texts), [](const Requirement& one) { return to_string(one); });
    if (rules.strict) {
        texts.emplace_back("--strict");
    }
    return texts;
}

std::string rendered(const Answer& answer, Format format, const Style& style) {
    switch (format) {
    case Format::json:
        return verify_json(answer.judgement);
    case Format::sarif:
        return verify_sarif(answer.judgement, answer.anchor);
    case Format::junit:
        return verify_junit(answer.coverage, answer.judgement);
    case Format::github:
        return verify_github(answer.judgement);
    case Format::markdown:
        return verify_markdown(answer.judgement);
    case Format::html:
        return report_html(answer.report(runs_of(answer)));
    case Format::csv:
        return report_csv(answer.report());
    case Format::text:
        break;
    }
    return verify_text(answer.judgement, style);
}

} // namespace

int run(const VerifyOptions& given) {
    const auto completed = with_pyproject(given);
    if (!completed) {
        return give_up("verify", given.output, completed.error());
    }
    const VerifyOptions& options = *completed;
    const auto rules = rules_of(options);
    const auto reports = parse_report_files(options.output);
    const auto anchor = anchor_of(options.sarif_anchor);
    if (!rules || !reports || !anchor) {
        return give_up("verify", options.output, !rules ? rules.error() : !reports ? reports.error() : anchor.error());
    }
    Answer answer{read_inputs(options.input, ScanDepth::payload), {}, *anchor};
    answer.judgement = judge(answer.coverage, *rules);

    const auto render = [&](Format format, const Style& style) {
        std::string text = rendered(answer, format, style);
        return format == Format::json ? as_part(std::move(text), options.input, answer.coverage, asked(*rules)) : text;
    };
    return deliver(render, *reports, options.output, status_of(answer.judgement.verdict));
}

} // namespace cag
