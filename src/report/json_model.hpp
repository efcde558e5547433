// Pieces of the JSON output that several commands share. The contract is docs/json.md and docs/schema.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cag {

struct PredictionRun;

// {"schema_version": 1, "tool": {...}, "command": "inspect"}
[[nodiscard]] nlohmann::ordered_json json_envelope(const std::string& command);

// The "files" array. `extend` may add keys to a module: (file index, module index, the module's object).
using ExtendModule = std::function<void(std::size_t, std::size_t, nlohmann::ordered_json&)>;
[[nodiscard]] nlohmann::ordered_json json_files(const Coverage& coverage, bool kernels, const ExtendModule& extend = {});

// "ptx_to_compile", and the files with the "outcomes" of each module.
void add_predictions(nlohmann::ordered_json& document, const Coverage& coverage, const std::vector<PredictionRun>& runs);

[[nodiscard]] nlohmann::ordered_json json_problem(const Problem& problem);

// Text of the document. Names that are not UTF-8 keep their other characters.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

} // namespace cag
