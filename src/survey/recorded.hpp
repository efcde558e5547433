// Readers of what tools print: nvidia-smi in its four forms, lspci. The same readers serve the tools run here and their recorded output.
#pragma once

#include "support/result.hpp"
#include "survey/machine.hpp"

#include <string_view>

namespace cag {

[[nodiscard]] MethodAnswer read_nvidia_smi_csv(std::string_view text);   // --query-gpu=... --format=csv, with its header line
[[nodiscard]] MethodAnswer read_nvidia_smi_table(std::string_view text); // no option
[[nodiscard]] MethodAnswer read_nvidia_smi_query(std::string_view text); // -q
[[nodiscard]] MethodAnswer read_nvidia_smi_xml(std::string_view text);   // -q -x
[[nodiscard]] MethodAnswer read_nvidia_smi_list(std::string_view text);  // -L
[[nodiscard]] MethodAnswer read_lspci(std::string_view text);            // lspci, -n, -nn, -nnk

// Whichever of them the text is. Failure CAG508: none.
[[nodiscard]] Result<MethodAnswer> read_recorded(std::string_view text);

} // namespace cag
