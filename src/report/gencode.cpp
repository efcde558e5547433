// `gencode SPEC`: the flags alone on standard output as text, so that they can be used in a command; with the details as JSON.
#include "report/json_model.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace cag {

std::string gencode_text(const GencodeAnswer& answer) { return answer.flags.text + '\n'; }

std::string gencode_json(const GencodeAnswer& answer) {
    nlohmann::ordered_json document = json_envelope("gencode");
    document["style"] = answer.style;
    document["flags"] = answer.flags.text;
    document["targets"] = nlohmann::ordered_json::array();
    for (const Target& target : answer.list.targets) {
        document["targets"].push_back({{"arch", to_string(target.arch)}, {"code", target.code == Code::sass ? "sass" : "ptx"}});
    }
    document["notes"] = answer.list.notes;
    for (const std::string& note : answer.flags.notes) {
        document["notes"].push_back(note);
    }
    return json_text(document);
}

} // namespace cag
