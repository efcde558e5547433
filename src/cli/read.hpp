// Reading the inputs of a command.
#pragma once

#include "cli/options.hpp"
#include "coverage/scan.hpp"
#include "package/text_claims.hpp"

namespace cag {

// With what packages say of themselves in Coverage::texts where the options ask for it. Shows progress on a terminal.
[[nodiscard]] Coverage read_inputs(const InputOptions& options, ScanDepth depth);

// The texts of --claims-from: what is a file on disk is read. Failure CAG408.
[[nodiscard]] Result<std::vector<ClaimText>> read_claim_texts(const InputOptions& options);

// "2/8" -> the second of eight parts; "" -> everything. Failure CAG505.
[[nodiscard]] Result<Shard> parse_shard(const std::string& text);

// The JSON result of a part (--shard) says which part it is, and what was asked about all files; others stay as they are.
[[nodiscard]] std::string as_part(std::string json, const InputOptions& input, const Coverage& coverage,
                                  const std::vector<std::string>& asked = {});

// True where something in the inputs could not be read: no answer about them is complete.
[[nodiscard]] bool is_partial(const Coverage& coverage);

} // namespace cag
