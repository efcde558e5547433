// Opens one path: what format it is, which members it has, and where device code lies in it. Headers only; payloads are read afterwards.
#pragma once

#include "coverage/locate.hpp"
#include "coverage/scan.hpp"

#include <memory>

namespace cag {

// One file or member between the two steps of reading: headers first, payloads on all threads afterwards.
struct OpenFile {
    std::shared_ptr<const ByteSource> source; // kept open for the payloads
    std::optional<ObjectFile> object;
    LocatedCode code;
    FileCoverage coverage;
    std::vector<std::vector<Problem>> payload_problems; // one a payload, so that threads do not meet
};

// The file itself, or its members in their order.
[[nodiscard]] std::vector<OpenFile> open_path(const std::string& path, const ScanOptions& options, unsigned threads);
[[nodiscard]] std::vector<OpenFile> open_source(std::shared_ptr<const ByteSource> source, const std::string& path,
                                                const ScanOptions& options, unsigned threads);

} // namespace cag
