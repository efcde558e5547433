// The JSON form of a machine: what `survey --format json` prints, what `--save` keeps and what is read back.
#pragma once

#include "support/result.hpp"
#include "survey/machine.hpp"

#include <nlohmann/json_fwd.hpp>

namespace cag {

[[nodiscard]] nlohmann::ordered_json to_json(const Machine& machine);
[[nodiscard]] nlohmann::ordered_json to_json(const MethodAnswer& answer);

// Failure CAG508: a key is missing or has another type.
[[nodiscard]] Result<Machine> machine_from_json(const nlohmann::ordered_json& json);
[[nodiscard]] Result<MethodAnswer> answer_from_json(const nlohmann::ordered_json& json);

} // namespace cag
