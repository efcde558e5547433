#include "input/digest.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;

// One of Nettle's digests: its state, and the functions on it.
template <class Context, std::size_t digest_size, auto init, auto update, auto finish>
struct Hash {
    static constexpr std::size_t size = digest_size;
    Context context{};
    Hash() { init(&context); }
    void add(std::span<const std::byte> bytes) { update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data())); }
    std::array<std::uint8_t, size> result() {
        std::array<std::uint8_t, size> digest{};
        finish(&context, size, digest.data());
        return digest;
    }
};
using Sha256 = Hash<sha256_ctx, SHA256_DIGEST_SIZE, sha256_init, sha256_update, sha256_digest>;
using Sha512 = Hash<sha512_ctx, SHA512_DIGEST_SIZE, sha512_init, sha512_update, sha512_digest>;

template <class Sha>
Result<std::string> hash_of(const ByteSource& source) {
    Sha hash;
    Bytes block(std::min<std::uint64_t>(block_size, source.size()));
    for (std::uint64_t at = 0; at < source.size(); at += block.size()) {
        const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), source.size() - at));
        if (auto done = source.read(at, part); !done) {
            return tl::unexpected(done.error());
        }
        hash.add(part);
    }
    std::string text;
    for (const std::uint8_t byte : hash.result()) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

template <class Sha>
Result<void> check(const ByteSource& source, const std::string& digest, const std::string& expected) {
    if (expected.size() != 2 * Sha::size || expected.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return failure("CAG402",
                       fmt::format("expected {} hexadecimal digits behind the algorithm, found the digest \"{}\"", 2 * Sha::size, digest));
    }
    const auto found = hash_of<Sha>(source);
    if (!found) {
        return tl::unexpected(found.error());
    }
    if (*found != expected) {
        return failure("CAG403",
                       fmt::format("expected bytes of the digest {}, found {}: they are not what the image was made of, fetch it again",
                                   digest, digest.substr(0, digest.size() - expected.size()) + *found));
    }
    return {};
}

} // namespace

Result<void> check_digest(const ByteSource& source, const std::string& digest) {
    const auto colon = std::min(digest.find(':'), digest.size());
    const std::string algorithm = digest.substr(0, colon);
    const std::string expected = digest.substr(std::min(colon + 1, digest.size()));
    if (algorithm == "sha256") {
        return check<Sha256>(source, digest, expected);
    }
    if (algorithm == "sha512") {
        return check<Sha512>(source, digest, expected);
    }
    return {};
}

} // namespace cag
