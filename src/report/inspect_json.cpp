#include "report/json_model.hpp"
#include "report/report.hpp"
#include "report/sizes.hpp"

#include <nlohmann/json.hpp>

namespace cag {

std::string inspect_json(const Coverage& coverage, const InspectView& view) {
    nlohmann::ordered_json document = json_envelope("inspect");
    document["files"] = json_files(coverage, view.kernels);
    for (std::size_t i = 0; view.sizes && i < coverage.files.size(); ++i) {
        document["files"][i]["sizes"] = sizes_json(coverage.files[i]);
    }
    return json_text(document);
}

} // namespace cag
