// survey(host) -> Machine: asks every method and puts the answers together.
#pragma once

#include "support/result.hpp"
#include "survey/host.hpp"
#include "survey/machine.hpp"

namespace cag {

struct SurveyOptions {
    bool probe = false; // also build a program with nvcc and run it
};

[[nodiscard]] Machine survey(const Host& host, const SurveyOptions& options = {});

// The machine of a recorded output: nvidia-smi (table, -q, -x, -L, --query-gpu), lspci, or this program's own JSON.
// Failures: CAG408 (cannot be read), CAG508 (none of these).
[[nodiscard]] Result<Machine> recorded_machine(const std::string& path);

// GPUs and driver as the predictor wants them. A GPU whose compute capability nobody knows is left out of gpus_of; emulated ones too.
[[nodiscard]] std::vector<Gpu> gpus_of(const Machine& machine);
[[nodiscard]] std::optional<Driver> driver_of(const Machine& machine);

// The same as texts that parse_gpu() and parse_driver() read: "9.0", "580.159.04", "535.54+cuda-compat:13.0".
[[nodiscard]] std::vector<std::string> gpu_specs_of(const Machine& machine);
[[nodiscard]] std::string driver_spec_of(const Machine& machine);

} // namespace cag
