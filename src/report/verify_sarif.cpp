// `verify` as SARIF 2.1.0, for code scanning. A binary has no lines: results lie at line 1 of the file, or at the line of the source that
// the caller names as the anchor (GitHub shows only files that are in the repository). Module, member and kernels are logical locations.
#include "policy/codes.hpp"
#include "policy/kernel_names.hpp"
#include "policy/parse.hpp"
#include "report/finding_groups.hpp"
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace cag {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_kernels = 50; // logical locations of one result; the message counts the rest

// A relative reference as RFC 3986 has it: what is not unreserved is percent-encoded, byte by byte.
std::string uri_of(const std::string& path) {
    std::string uri;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '-' || c == '.' ||
                           c == '_' || c == '~';
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    if (path.starts_with('/')) {
        return "file://" + uri;
    }
    return uri;
}

// Stays the same where a binary is built again: offsets, module numbers and wording are no part of it.
std::string fingerprint(const Judgement& judgement, const Finding& finding) {
    std::vector<std::string> kernels = finding.kernels;
    std::sort(kernels.begin(), kernels.end());
    const std::string text = fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}", finding.code, finding.path, finding.member.value_or(""), finding.arch ? to_string(*finding.arch) : "",
        finding.requirement ? to_string(judgement.requirements[*finding.requirement].requirement) : "", fmt::join(kernels, "\n"));
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return fmt::format("{:016x}", hash);
}

ordered_json logical_locations(const Finding& finding) {
    ordered_json locations = ordered_json::array();
    if (finding.member) {
        locations.push_back({{"name", *finding.member}, {"kind", "member"}});
    }
    if (finding.module) {
        locations.push_back({{"name", fmt::format("module {}", *finding.module)}, {"kind", "module"}});
    }
    for (std::size_t i = 0; i < std::min(max_kernels, finding.kernels.size()); ++i) {
        locations.push_back({{"name", demangled(finding.kernels[i])}, {"decoratedName", finding.kernels[i]}, {"kind", "function"}});
    }
    return locations;
}

ordered_json physical_location(const Finding& finding, const std::optional<SarifAnchor>& anchor) {
    return {{"artifactLocation", {{"uri", uri_of(anchor ? anchor->file : finding.path)}}},
            {"region", {{"startLine", anchor ? anchor->line : 1}}}};
}

ordered_json json_rules() {
    ordered_json rules = ordered_json::array();
    for (const DiagnosticCode& code : all_codes()) {
        rules.push_back({{"id", code.name},
                         {"shortDescription", {{"text", code.title}}},
                         {"fullDescription", {{"text", fmt::format("{} {}", code.what, code.why)}}},
                         {"help",
                          {{"text", fmt::format("{}\n\n{}", code.how, code.example)},
                           {"markdown", fmt::format("{}\n\n```text\n{}```\n", code.how, code.example)}}},
                         {"defaultConfiguration", {{"level", to_string(code.level)}}}});
    }
    return rules;
}

ordered_json json_result(const Judgement& judgement, const Finding& finding, const std::optional<SarifAnchor>& anchor,
                         const std::string& print) {
    ordered_json location{{"physicalLocation", physical_location(finding, anchor)}};
    if (auto logical = logical_locations(finding); !logical.empty()) {
        location["logicalLocations"] = std::move(logical);
    }
    std::string message = finding.message;
    for (const std::string& fix : finding.fixes) {
        message += "\n" + fix;
    }
    ordered_json result{{"ruleId", finding.code}};
    if (const DiagnosticCode* code = find_code(finding.code)) {
        result["ruleIndex"] = code - all_codes().data();
    }
    result["level"] = to_string(finding.level);
    result["message"] = {{"text", message}};
    result["locations"] = ordered_json::array({std::move(location)});
    if (finding.waiver) {
        const Waiver& waiver = judgement.waivers[*finding.waiver];
        result["suppressions"] =
            ordered_json::array({{{"kind", "external"},
                                  {"status", "accepted"},
                                  {"justification", fmt::format("{} (until {}, {})", waiver.reason, waiver.expires, waiver.owner)}}});
    }
    result["partialFingerprints"] = {{"cudaArchGuardFinding/v1", print}};
    return result;
}

} // namespace

std::string verify_sarif(const Judgement& judgement, const std::optional<SarifAnchor>& anchor) {
    ordered_json results = ordered_json::array();
    std::map<std::string, unsigned> alike; // several damages of one file differ in nothing that lasts: they are counted
    for (const Finding& finding : judgement.findings) {
        const std::string print = fingerprint(judgement, finding);
        results.push_back(json_result(judgement, finding, anchor, fmt::format("{}:{}", print, ++alike[print])));
    }
    const ordered_json driver{{"name", "cuda-arch-guard"}, {"version", program_version()}, {"rules", json_rules()}};
    ordered_json run{{"tool", {{"driver", driver}}},
                     {"invocations", ordered_json::array({{{"executionSuccessful", judgement.verdict != Verdict::undecided}}})},
                     {"results", std::move(results)}};
    return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", ordered_json::array({std::move(run)})}});
}

} // namespace cag
