// The decoders: five bytes say what a header would declare, the rest is the stored payload. No more memory is taken than the limits allow,
// and what is returned has exactly the declared size.
#include "fuzz.hpp"

#include "image/expand.hpp"

#include <cstring>

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    struct Declared {
        std::uint8_t codec;
        std::uint32_t expanded_size;
    };
    constexpr std::size_t head = 5;
    if (size < head) {
        return 0;
    }
    Declared declared{data[0], 0};
    std::memcpy(&declared.expanded_size, data + 1, sizeof(declared.expanded_size));
    const MemorySource source(fuzz::bytes_of(data + head, size - head));
    Payload payload;
    payload.size = source.size();
    payload.expanded_size = declared.expanded_size;
    payload.compression = declared.codec % 2 == 0 ? Compression::lz4 : Compression::zstd;
    const Limits limits = fuzz::limits();
    const auto expanded = expand(payload, ByteView(source), limits);
    if (expanded) {
        CAG_REQUIRE(expanded->size == payload.expanded_size && expanded->size <= limits.max_expanded_image);
        CAG_REQUIRE(expanded->size / limits.max_expansion_ratio <= payload.size);
    } else {
        CAG_REQUIRE(expanded.error().code == "CAG403" || expanded.error().code == "CAG404");
    }
    return 0;
}
