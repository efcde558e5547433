// `explain-log` as text and as JSON.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {

std::string explain_log_text(const std::vector<LogFinding>& findings, const Style& style) {
    if (findings.empty()) {
        return "Nothing in this output is known. `cuda-arch-guard doctor` looks at the machine itself.\n";
    }
    std::string text;
    for (const LogFinding& finding : findings) {
        const Mark& mark = &finding == &findings.front() ? marks::fails : marks::note;
        text +=
            wrapped(style, mark.painted(style) + " ", printable(finding.cause) + (finding.code.empty() ? "" : " [" + finding.code + "]"));
        text += wrapped(style,
                        fmt::format("  line {}{}: ", finding.line, finding.count > 1 ? fmt::format(" and {} more", finding.count - 1) : ""),
                        printable(finding.text));
        for (const std::string& fix : finding.fixes) {
            text += wrapped(style, &fix == &finding.fixes.front() ? "  do: " : "  or: ", printable(fix));
        }
        text += '\n';
    }
    const bool asynchronous = std::any_of(findings.begin(), findings.end(), [](const LogFinding& finding) { return finding.asynchronous; });
    if (asynchronous) {
        text += wrapped(style, "  ",
                        "Launches are asynchronous: the line that reports the error may be a later call than the guilty launch. "
                        "CUDA_LAUNCH_BLOCKING=1 shows the guilty one; TORCH_USE_CUDA_DSA does not help with a missing image.") +
                '\n';
    }
    text.pop_back();
    return text;
}

std::string explain_log_json(const std::vector<LogFinding>& findings) {
    using Json = nlohmann::ordered_json;
    Json document = json_envelope("explain-log");
    document["findings"] = Json::array();
    for (const LogFinding& finding : findings) {
        document["findings"].push_back({{"id", finding.id},
                                        {"code", finding.code.empty() ? Json(nullptr) : Json(finding.code)},
                                        {"cause", finding.cause},
                                        {"fixes", finding.fixes},
                                        {"line", finding.line},
                                        {"text", finding.text},
                                        {"count", finding.count},
                                        {"asynchronous", finding.asynchronous}});
    }
    return json_text(document);
}

} // namespace cag
