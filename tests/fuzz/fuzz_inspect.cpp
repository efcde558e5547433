// `inspect` as a whole, on bytes in memory: what is listed lies inside the file, and what is printed sends no commands to a terminal.
#include "fuzz.hpp"

#include "coverage/scan.hpp"
#include "report/report.hpp"

#include <algorithm>

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ScanOptions options;
    options.threads = 1;
    options.limits = fuzz::limits();
    const Coverage coverage = scan_bytes(fuzz::bytes_of(data, size), "fuzz", options);
    CAG_REQUIRE(!coverage.files.empty());
    for (const FileCoverage& file : coverage.files) {
        std::uint64_t end = 0;
        for (const Module& module : file.modules) {
            CAG_REQUIRE(module.offset >= end && module.size <= size && module.offset <= size - module.size);
            end = module.offset + module.size;
            CAG_REQUIRE(!module.linked_by || *module.linked_by < file.modules.size());
            for (const Image& image : module.images) {
                CAG_REQUIRE(image.size <= size);
            }
        }
    }
    const InspectView everything{true, true};
    const std::string text = inspect_text(coverage, everything, Style{});
    CAG_REQUIRE(std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 || c == '\n'; }));
    CAG_REQUIRE(!inspect_json(coverage, everything).empty());
    return 0;
}
