// verify PATH... REQUIREMENT...: the gate.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/read.hpp"
#include "report/report.hpp"

namespace cag {
namespace {

Result<Rules> rules_of(const VerifyOptions& options) {
    RequirementTexts texts = options.requirements;
    const auto environment = parse_environment(options.environment);
    if (!environment) {
        return tl::unexpected(environment.error());
    }
    texts.environment = *environment;
    const auto requirements = parse_requirements(texts);
    if (!requirements) {
        return tl::unexpected(requirements.error());
    }
    if (requirements->empty()) {
        return failure("CAG505", "expected at least one requirement, found none; allowed are --require-sass, --require-ptx and --runs-on, "
                                 "as in: cuda-arch-guard verify lib.so --require-sass 80,90");
    }
    Rules rules;
    rules.requirements = *requirements;
    rules.scope = options.any ? Scope::any : Scope::every;
    rules.strict = options.strict;
    rules.allow_empty = options.allow_empty;
    rules.inputs = options.input.paths;
    return rules;
}

int status_of(Verdict verdict) {
    return verdict == Verdict::pass ? status_holds : verdict == Verdict::fail ? status_fails : status_undecided;
}

} // namespace

int run(const VerifyOptions& options) {
    const auto rules = rules_of(options);
    if (!rules) {
        return give_up("verify", options.output, rules.error());
    }
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    const Judgement judgement = judge(coverage, *rules);
    const std::string report =
        options.output.format == Format::json ? verify_json(judgement) : verify_text(judgement, style_of(options.output));
    return finish(report, status_of(judgement.verdict));
}

} // namespace cag
