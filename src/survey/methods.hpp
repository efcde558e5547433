// The methods, one a file. Each answers by itself and says why where it cannot.
#pragma once

#include "survey/host.hpp"
#include "survey/machine.hpp"

#include <string_view>

namespace cag {

[[nodiscard]] MethodAnswer ask_nvml(const Host& host);
[[nodiscard]] MethodAnswer ask_driver_api(const Host& host);
[[nodiscard]] MethodAnswer ask_nvidia_smi(const Host& host);
[[nodiscard]] MethodAnswer ask_device_query(const Host& host);
[[nodiscard]] MethodAnswer ask_cuda_runtime(const Host& host); // builds a program with nvcc and runs it
[[nodiscard]] MethodAnswer ask_proc(const Host& host);
[[nodiscard]] MethodAnswer ask_pci(const Host& host);
[[nodiscard]] MethodAnswer ask_device_tree(const Host& host);

// Of the text of /proc/driver/nvidia/version.
[[nodiscard]] std::string kernel_module_version(std::string_view text); // "580.159.04"
[[nodiscard]] ModuleFlavour kernel_module_flavour(std::string_view text);

// Asks in a child process, where a library that hangs or crashes does no harm.
[[nodiscard]] MethodAnswer asked_in_child(const Host& host, Method method, MethodAnswer (*ask)(const Host&));

} // namespace cag
