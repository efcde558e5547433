#include "image/expand.hpp"

#include <fmt/format.h>

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <sys/mman.h>

namespace cag {

namespace {

Result<void> within_limits(const Payload& payload, const Limits& limits) {
    if (payload.expanded_size > limits.max_expanded_image) {
        return failure("CAG404",
                       fmt::format("its payload declares {} expanded bytes, more than the limit of {}", payload.expanded_size,
                                   limits.max_expanded_image),
                       payload.offset);
    }
    if (payload.expanded_size / limits.max_expansion_ratio > payload.size) {
        return failure("CAG404",
                       fmt::format("its {} stored bytes declare {} expanded bytes, more than the limit of {} times", payload.size,
                                   payload.expanded_size, limits.max_expansion_ratio),
                       payload.offset);
    }
    return {};
}

// Empty where the machine has no such memory. Large payloads lie in large pages where the system gives them: it hands out pages one by one,
// and for the 130 MB of a library's linked cubin that takes as long as the decompression.
decltype(Expanded::bytes) allocate(std::size_t size) {
    constexpr std::size_t large_page = std::size_t{2} << 20;
    if (size < 8 * large_page) {
        return decltype(Expanded::bytes)(static_cast<std::byte*>(std::malloc(std::max<std::size_t>(size, 1))));
    }
    const std::size_t pages = (size + large_page - 1) / large_page * large_page;
    decltype(Expanded::bytes) bytes(static_cast<std::byte*>(std::aligned_alloc(large_page, pages)));
    if (bytes) {
        ::madvise(bytes.get(), pages, MADV_HUGEPAGE); // it is as right without
    }
    return bytes;
}

// What was written, or the codec's complaint.
struct Outcome {
    std::size_t written = 0;
    std::string error;
};

Outcome expand_lz4(std::span<const std::byte> stored, std::span<std::byte> out) {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    if (stored.size() > most || out.size() > most) {
        return {0, "an LZ4 block has less than 2 GiB"};
    }
    const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(out.data()),
                                            static_cast<int>(stored.size()), static_cast<int>(out.size()));
    return written < 0 ? Outcome{0, fmt::format("malformed block (LZ4 says {})", written)} : Outcome{static_cast<std::size_t>(written), {}};
}

Outcome expand_zstd(std::span<const std::byte> stored, std::span<std::byte> out) {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    const std::size_t written = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), stored.data(), stored.size());
    return ZSTD_isError(written) != 0 ? Outcome{0, ZSTD_getErrorName(written)} : Outcome{written, {}};
}

} // namespace

Result<Expanded> expand(const Payload& payload, const ByteView& stored, const Limits& limits) {
    if (auto allowed = within_limits(payload, limits); !allowed) {
        return tl::unexpected(allowed.error());
    }
    const auto compressed = stored.bytes(limits.max_expanded_image, "compressed payload");
    if (!compressed) {
        return tl::unexpected(compressed.error());
    }
    Expanded expanded{allocate(payload.expanded_size), payload.expanded_size};
    if (!expanded.bytes) {
        return failure("CAG404", fmt::format("this machine has no memory for the {} expanded bytes of its payload", payload.expanded_size),
                       payload.offset);
    }
    const std::span<std::byte> out(expanded.bytes.get(), expanded.size);
    const Outcome outcome = payload.compression == Compression::lz4 ? expand_lz4(*compressed, out) : expand_zstd(*compressed, out);
    if (!outcome.error.empty() || outcome.written != expanded.size) {
        return failure("CAG403",
                       fmt::format("its {} payload does not expand: expected {} bytes from {}, got {}",
                                   payload.compression == Compression::lz4 ? "LZ4" : "zstd", expanded.size, payload.size,
                                   outcome.error.empty() ? fmt::format("{}", outcome.written) : outcome.error),
                       payload.offset);
    }
    return expanded;
}

} // namespace cag
