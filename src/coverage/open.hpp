// Opens one file or archive member: what format it is, which members a static library has, and where device code lies in it. Headers only;
// payloads are read afterwards.
#pragma once

#include "coverage/locate.hpp"
#include "coverage/scan.hpp"
#include "input/walk.hpp"
#include "support/fingerprint.hpp"

#include <memory>

namespace cag {

// One file or member between the two steps of reading: headers first, payloads on all threads afterwards.
struct OpenFile {
    std::shared_ptr<const ByteSource> source; // kept open for the payloads
    std::optional<ObjectFile> object;
    LocatedCode code;
    FileCoverage coverage;
    std::vector<std::vector<Problem>> payload_problems; // one a payload, so that threads do not meet
    std::optional<Fingerprint> content;                 // where the file may have copies
    bool is_copy = false;                               // of a file before it: the payloads are not read again
};

// The file itself, or the members of a static library in their order. What cannot be opened is a file with a problem.
[[nodiscard]] std::vector<OpenFile> open_item(const InputItem& item, const ScanOptions& options, unsigned threads);

// True where bytes that begin like this may be a format that is read: what a walk through folders and archives looks for.
[[nodiscard]] bool may_hold_code(std::span<const std::byte> head, bool whole);

} // namespace cag
