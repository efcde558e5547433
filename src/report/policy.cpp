// `policy check` as text and as JSON.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cag {
namespace {

bool has_expired(const Waiver& waiver, const PolicyReport& report) { return waiver.expires < report.today; }

} // namespace

std::string policy_text(const PolicyReport& report, const Style& style) {
    const auto& [policy, errors] = report.reading;
    std::string text;
    for (const PolicyError& error : errors) {
        text += wrapped(style, fmt::format("{} ", marks::fails.painted(style)), printable(to_string(report.file, error)));
    }
    if (!errors.empty()) {
        return text + paint(style, Ink::bad, counted(errors.size(), "error")) + '\n';
    }
    for (const Waiver& waiver : policy.waivers) {
        const bool expired = has_expired(waiver, report);
        text += wrapped(style, fmt::format("{} ", (expired ? marks::unknown : marks::note).painted(style)),
                        printable(fmt::format("waiver{}: {}", expired ? ", expired" : "", to_string(waiver))));
    }
    // The files that no section names are the last section.
    return text + wrapped(style, fmt::format("{} ", marks::holds.painted(style)),
                          printable(fmt::format("{} is valid: {}, {}, {}", report.file, counted(policy.requirements.size(), "requirement"),
                                                counted(policy.sections.size() - 1, "section"), counted(policy.waivers.size(), "waiver"))));
}

std::string policy_json(const PolicyReport& report) {
    nlohmann::ordered_json document = json_envelope("policy");
    document["policy"] = report.file;
    document["valid"] = report.reading.errors.empty();
    document["errors"] = nlohmann::ordered_json::array();
    for (const PolicyError& error : report.reading.errors) {
        document["errors"].push_back({{"line", error.place.line}, {"column", error.place.column}, {"message", error.message}});
    }
    document["waivers"] = nlohmann::ordered_json::array();
    for (const Waiver& waiver : report.reading.policy.waivers) {
        document["waivers"].push_back({{"code", waiver.code},
                                       {"reason", waiver.reason},
                                       {"owner", waiver.owner},
                                       {"expires", waiver.expires},
                                       {"expired", has_expired(waiver, report)}});
    }
    return json_text(document);
}

} // namespace cag
