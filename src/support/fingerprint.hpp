// The content of a file as 128 bits, to know it again.
#pragma once

#include "support/bytes.hpp"

#include <compare>
#include <string>

namespace cag {

struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t size = 0;

    auto operator<=>(const Fingerprint&) const = default;
};

// The hash (XXH3) is fast, not cryptographic. So it is keyed: without the secret nobody can make two files that have one fingerprint.
class Fingerprinter {
  public:
    static constexpr std::size_t secret_size = 192;

    // With a new secret from the system.
    Fingerprinter();
    explicit Fingerprinter(std::string secret) : secret_(std::move(secret)) {}

    [[nodiscard]] const std::string& secret() const { return secret_; }
    [[nodiscard]] Result<Fingerprint> of(const ByteSource& source) const;
    [[nodiscard]] Fingerprint of(std::span<const std::byte> bytes) const;

  private:
    std::string secret_;
};

} // namespace cag
