// The whole reader on hostile bytes: whatever comes in, scan_bytes() returns, and what it returns adds up.
#include "coverage/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cag::ScanOptions options;
    options.threads = 1;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto coverage = cag::scan_bytes(bytes, "fuzz", options);
    require(!coverage.files.empty());
    for (const auto& file : coverage.files) {
        for (const auto& module : file.modules) {
            require(module.offset <= size && module.size <= size);
            for (const auto& image : module.images) {
                require(image.size <= size);
            }
        }
    }
    return 0;
}
