// Digests as container images have them: "sha256:" and 64 hexadecimal digits, the name of every blob.
// The format: https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests
#pragma once

#include "support/bytes.hpp"

#include <string>

namespace cag {

// Whether the source's bytes have the digest. Failure CAG403: they do not; CAG402: it is none. Algorithms other than SHA-256 and SHA-512
// are passed over, as the specification asks.
[[nodiscard]] Result<void> check_digest(const ByteSource& source, const std::string& digest);

} // namespace cag
