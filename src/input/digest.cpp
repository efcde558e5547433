#include "input/digest.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;

struct Sha256 {
    static constexpr std::size_t size = SHA256_DIGEST_SIZE;
    sha256_ctx context{};
    Sha256() { sha256_init(&context); }
    void add(std::size_t length, const std::uint8_t* bytes) { sha256_update(&context, length, bytes); }
    void finish(std::span<std::uint8_t, size> out) { sha256_digest(&context, out.size(), out.data()); }
};

struct Sha512 {
    static constexpr std::size_t size = SHA512_DIGEST_SIZE;
    sha512_ctx context{};
    Sha512() { sha512_init(&context); }
    void add(std::size_t length, const std::uint8_t* bytes) { sha512_update(&context, length, bytes); }
    void finish(std::span<std::uint8_t, size> out) { sha512_digest(&context, out.size(), out.data()); }
};

template <class Hash>
Result<std::string> hash_of(const ByteSource& source) {
    Hash hash;
    Bytes block(std::min<std::uint64_t>(block_size, source.size()));
    for (std::uint64_t at = 0; at < source.size(); at += block.size()) {
        const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), source.size() - at));
        if (auto done = source.read(at, part); !done) {
            return tl::unexpected(done.error());
        }
        hash.add(part.size(), reinterpret_cast<const std::uint8_t*>(part.data()));
    }
    std::array<std::uint8_t, Hash::size> result{};
    hash.finish(result);
    std::string text;
    for (const std::uint8_t byte : result) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

template <class Hash>
Result<void> check(const ByteSource& source, const std::string& digest, const std::string& expected) {
    if (expected.size() != 2 * Hash::size || expected.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return failure("CAG402",
                       fmt::format("expected {} hexadecimal digits behind the algorithm, found the digest \"{}\"", 2 * Hash::size, digest));
    }
    const auto found = hash_of<Hash>(source);
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
