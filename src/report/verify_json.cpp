#include "policy/parse.hpp"
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace cag {
namespace {

using nlohmann::ordered_json;

const char* option_of(Requirement::Kind kind) {
    switch (kind) {
    case Requirement::Kind::sass:
        return "require-sass";
    case Requirement::Kind::ptx:
        return "require-ptx";
    case Requirement::Kind::runs_on:
        break;
    }
    return "runs-on";
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
            {"fixes", finding.fixes}};
}

} // namespace

std::string verify_json(const Judgement& judgement) {
    ordered_json document = json_envelope("verify");
    document["verdict"] = to_string(judgement.verdict);
    document["requirements"] = ordered_json::array();
    for (const RequirementResult& result : judgement.requirements) {
        document["requirements"].push_back({{"kind", option_of(result.requirement.kind)},
                                            {"text", result.requirement.text},
                                            {"option", to_string(result.requirement)},
                                            {"verdict", to_string(result.verdict)}});
    }
    document["findings"] = ordered_json::array();
    for (const Finding& finding : judgement.findings) {
        document["findings"].push_back(json_finding(judgement, finding));
    }
    return json_text(document);
}

} // namespace cag
