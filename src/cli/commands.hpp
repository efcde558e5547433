// The commands. Each strings the stages together and returns the exit status.
#pragma once

#include "cli/options.hpp"

namespace cag {

[[nodiscard]] int run(const Message& message);
[[nodiscard]] int run(const InspectOptions& options);
[[nodiscard]] int run(const PredictOptions& options);
[[nodiscard]] int run(const VerifyOptions& options);
[[nodiscard]] int run(const DiffOptions& options);
[[nodiscard]] int run(const GencodeOptions& options);
[[nodiscard]] int run(const GuardOptions& options);
[[nodiscard]] int run(const LabOptions& options);
[[nodiscard]] int run(const MergeOptions& options);
[[nodiscard]] int run(const RuleOptions& options);
[[nodiscard]] int run(const SurveyCommandOptions& options);
[[nodiscard]] int run(const PolicyCheckOptions& options);
[[nodiscard]] int run(const PolicyInitOptions& options);
[[nodiscard]] int run(const DoctorCommandOptions& options);
[[nodiscard]] int run(const ExplainLogOptions& options);

} // namespace cag
