#include "policy/parse.hpp"
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace cag {
namespace {

using nlohmann::ordered_json;

const char* kind_of(const Requirement& requirement) {
    switch (requirement.kind) {
    case Requirement::Kind::sass:
        return "require-sass";
    case Requirement::Kind::ptx:
        return "require-ptx";
    case Requirement::Kind::runs_on:
        return "runs-on";
    case Requirement::Kind::no_debug:
        return "forbid-debug";
    case Requirement::Kind::no_ltoir_only:
        return "forbid-ltoir-only";
    case Requirement::Kind::no_arch:
        return "forbid-arch";
    case Requirement::Kind::max_bytes:
        return "max-bytes";
    case Requirement::Kind::claims:
        return "claims";
    case Requirement::Kind::present:
        break;
    }
    return "present";
}

ordered_json json_waiver(const Waiver& waiver) {
    return {{"code", waiver.code}, {"reason", waiver.reason}, {"owner", waiver.owner}, {"expires", waiver.expires}};
}

ordered_json json_finding(const Judgement& judgement, const Finding& finding) {
    return {{"code", finding.code},
            {"level", to_string(finding.level)},
            {"path", finding.path},
            {"member", finding.member ? ordered_json(*finding.member) : ordered_json(nullptr)},
            {"module", finding.module ? ordered_json(*finding.module) : ordered_json(nullptr)},
            {"kernels", finding.kernels},
            {"arch", finding.arch ? ordered_json(to_string(*finding.arch)) : ordered_json(nullptr)},
            {"requirement", finding.requirement ? ordered_json(to_string(judgement.requirements[*finding.requirement].requirement))
                                                : ordered_json(nullptr)},
            {"message", finding.message},
            {"fixes", finding.fixes},
            {"waiver", finding.waiver ? json_waiver(judgement.waivers[*finding.waiver]) : ordered_json(nullptr)}};
}

ordered_json json_findings(const Judgement& judgement, const std::vector<Finding>& findings) {
    ordered_json list = ordered_json::array();
    for (const Finding& finding : findings) {
        list.push_back(json_finding(judgement, finding));
    }
    return list;
}

ordered_json json_requirement(const Judgement& judgement, const RequirementResult& result) {
    ordered_json requirement{{"kind", kind_of(result.requirement)},
                             {"text", result.requirement.text},
                             {"option", to_string(result.requirement)},
                             {"verdict", to_string(result.verdict)}};
    if (const auto& part = result.part) {
        requirement["served"] = part->served;
        if (!part->findings_unserved.empty()) {
            requirement["if_unserved"] = {{"verdict", to_string(part->if_unserved)},
                                          {"findings", json_findings(judgement, part->findings_unserved)}};
        }
    }
    return requirement;
}

} // namespace

std::string verify_json(const Judgement& judgement) {
    ordered_json document = json_envelope("verify");
    document["verdict"] = to_string(judgement.verdict);
    document["policy"] = judgement.policy.empty() ? ordered_json(nullptr) : ordered_json(judgement.policy);
    document["requirements"] = ordered_json::array();
    for (const RequirementResult& result : judgement.requirements) {
        document["requirements"].push_back(json_requirement(judgement, result));
    }
    document["findings"] = json_findings(judgement, judgement.findings);
    return json_text(document);
}

} // namespace cag
