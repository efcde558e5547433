// PTX text.
#include "fuzz.hpp"

#include "image/image.hpp"

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemorySource source(fuzz::bytes_of(data, size));
    const ByteView view(source);
    const auto whole = read_ptx(view, ScanDepth::payload, fuzz::limits());
    const auto headers = read_ptx(view, ScanDepth::headers, fuzz::limits());
    CAG_REQUIRE(!whole || (headers && headers->arch == whole->arch && headers->ptx_isa == whole->ptx_isa));
    CAG_REQUIRE(!headers || (is_ptx(view) && headers->size <= size));
    return 0;
}
