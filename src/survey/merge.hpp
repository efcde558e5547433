// From the methods' answers to one list of GPUs, one driver, and explanations of what differs.
#pragma once

#include "survey/machine.hpp"

#include <string_view>

namespace cag {

// Fills gpus, driver and notes of a machine whose answers, surroundings and environment are known.
void conclude(Machine& machine);

// The parts of it.
[[nodiscard]] std::vector<MachineGpu> merged_gpus(const std::vector<MethodAnswer>& answers);
[[nodiscard]] std::vector<SurveyNote> explained(const Machine& machine);

[[nodiscard]] std::optional<Method> parse_method(std::string_view name); // "driver-api"

// "00000000:1B:00.0" and "1b:00.0" -> "0000:1b:00.0"; "" for anything else.
[[nodiscard]] std::string pci_bus_id(std::string_view text);
// "0x233510DE", "233510de", "10de:2335" -> 0x2335.
[[nodiscard]] std::optional<std::uint16_t> parse_pci_device(std::string_view text);

// "580.159.04" -> 580.
[[nodiscard]] std::optional<unsigned> branch_of(std::string_view driver_version);

} // namespace cag
