// What `guard` wrote: which kernels the guards know.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cag {

std::string guard_text(const GuardAnswer& answer) {
    if (!answer.python.empty()) {
        return fmt::format("{}: the guard of {} files\n", answer.python, answer.files.size());
    }
    std::string text;
    for (const GuardAnswer::File& file : answer.files) {
        text += fmt::format("{}: the guard knows {} kernels in {} modules{}\n", file.path, file.kernels, file.modules,
                            file.names < file.kernels ? fmt::format(", {} of them by name", file.names) : "");
    }
    return text;
}

std::string guard_json(const GuardAnswer& answer) {
    nlohmann::ordered_json document = json_envelope("guard");
    document["python"] = answer.python.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(answer.python);
    document["files"] = nlohmann::ordered_json::array();
    for (const GuardAnswer::File& file : answer.files) {
        document["files"].push_back({{"path", file.path}, {"modules", file.modules}, {"kernels", file.kernels}, {"named", file.names}});
    }
    return json_text(document);
}

} // namespace cag
