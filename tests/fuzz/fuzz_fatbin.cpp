// Containers with their payloads: no byte is told twice, and none is forgotten.
#include "fuzz.hpp"

#include "image/image.hpp"

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemorySource source(fuzz::bytes_of(data, size));
    const ByteView view(source);
    std::vector<Problem> problems;
    std::uint64_t end = 0;
    for (const Container& container : read_containers(view, ScanDepth::payload, fuzz::limits(), problems)) {
        CAG_REQUIRE(container.offset >= end && container.size <= size - container.offset);
        end = container.offset + container.size;
        std::uint64_t sum = container.header_bytes + container.padding_bytes + container.unexplained_bytes;
        for (const Image& image : container.images) {
            CAG_REQUIRE(image.payload_read || image.kernels.empty());
            sum += image.size;
        }
        CAG_REQUIRE(sum == container.size);
        CAG_REQUIRE(container.unexplained_bytes == 0 || !container.problems.empty());
    }
    const auto found = find_container(view, 0);
    CAG_REQUIRE(!found || is_container(view.from(*found)));
    return 0;
}
