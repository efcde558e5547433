#include "support/fingerprint.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/random.h>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cag {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;

std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t filled = 0; filled < size;) {
        const ssize_t got = ::getrandom(bytes.data() + filled, size - filled, 0);
        if (got < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "getrandom");
        }
        filled += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return bytes;
}

} // namespace

Fingerprinter::Fingerprinter() : secret_(random_bytes(secret_size)) {}

Fingerprint Fingerprinter::of(std::span<const std::byte> bytes) const {
    const XXH128_hash_t hash = XXH3_128bits_withSecret(bytes.data(), bytes.size(), secret_.data(), secret_.size());
    return {hash.high64, hash.low64, bytes.size()};
}

Result<Fingerprint> Fingerprinter::of(const ByteSource& source) const {
    if (const auto bytes = source.in_memory(); !bytes.empty()) {
        return of(bytes);
    }
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
    if (!state) {
        throw std::bad_alloc();
    }
    XXH3_128bits_reset_withSecret(state.get(), secret_.data(), secret_.size());
    Bytes block(std::min<std::uint64_t>(block_size, source.size()));
    for (std::uint64_t at = 0; at < source.size(); at += block.size()) {
        const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), source.size() - at));
        if (auto done = source.read(at, part); !done) {
            return tl::unexpected(done.error());
        }
        XXH3_128bits_update(state.get(), part.data(), part.size());
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    return Fingerprint{hash.high64, hash.low64, source.size()};
}

} // namespace cag
