// GPUs and drivers as people name them, and which driver a binary needs.
#pragma once

#include "support/result.hpp"

#include <cudaarchguard/prediction.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

// "9.0", "sm_90", a product ("RTX 4090": case and vendor words do not matter), a chip ("GH100"), "pci:10de:2330".
// Failure CAG501: unknown, or products of different compute capability fit; the message lists them.
[[nodiscard]] Result<Gpu> parse_gpu(std::string_view text);

// "580", "580.159.04", "cuda:13.0", "CUDA 13.0". A branch between two known ones is taken for the older; one newer than the tables is
// marked as extrapolated. Failure CAG501.
[[nodiscard]] Result<Driver> parse_driver(std::string_view text);

// The newest known driver that drives the GPU: the answer where none was asked for.
[[nodiscard]] Driver newest_driver_for(const Gpu& gpu);

[[nodiscard]] bool drives(const Driver& driver, const Gpu& gpu);

struct DriverFloor {
    Driver driver;                          // the oldest known one with which every kernel runs
    OutcomeKind outcome = OutcomeKind::jit; // what it takes there: jit where any kernel is compiled at load
    std::string reason;                     // why no older one: "PTX ISA 8.7 needs R570 (CUDA 12.8)"
};

// nullopt: no driver helps, the images are what is wrong.
[[nodiscard]] std::optional<DriverFloor> driver_floor(const FileCoverage& file, std::size_t module, const Gpu& gpu,
                                                      const Environment& environment = {});
// For all modules that predict() judges.
[[nodiscard]] std::optional<DriverFloor> driver_floor(const Coverage& coverage, const Gpu& gpu, const Environment& environment = {});
// For those of these files' modules that count.
using ModuleFilter = std::function<bool(std::size_t file, std::size_t module)>;
[[nodiscard]] std::optional<DriverFloor> driver_floor(std::span<const FileCoverage* const> files, const Gpu& gpu,
                                                      const ModuleFilter& counts);

} // namespace cag
