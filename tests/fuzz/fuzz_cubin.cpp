// Bare cubins of both ELF layouts.
#include "fuzz.hpp"

#include "image/image.hpp"

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemorySource source(fuzz::bytes_of(data, size));
    const ByteView view(source);
    const auto whole = read_cubin(view, ScanDepth::payload, fuzz::limits());
    const auto headers = read_cubin(view, ScanDepth::headers, fuzz::limits());
    if (!whole) {
        CAG_REQUIRE(whole.error().code.starts_with("CAG4"));
        return 0;
    }
    // What is read without the payload is read the same with it.
    CAG_REQUIRE(headers && headers->arch == whole->arch && headers->size == whole->size);
    CAG_REQUIRE(is_cubin(view) && whole->size <= size && (whole->payload_read || whole->kind == ImageKind::unknown));
    for (const Kernel& kernel : whole->kernels) {
        CAG_REQUIRE(!kernel.name.empty());
    }
    return 0;
}
