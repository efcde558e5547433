#include "report/json_model.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace cag {

std::string inspect_json(const Coverage& coverage, const InspectView& view) {
    nlohmann::ordered_json document = json_envelope("inspect");
    document["files"] = json_files(coverage, view.kernels);
    return json_text(document);
}

} // namespace cag
