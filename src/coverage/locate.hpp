// Finds all device code of one object file and sorts it into modules.
#pragma once

#include "coverage/link_groups.hpp"
#include "image/image.hpp"
#include "object/object.hpp"

#include <cudaarchguard/coverage.hpp>

namespace cag {

// A stored payload that is still to be read, and the module whose images it completes.
struct PendingPayload {
    std::size_t module = 0; // index in FileCoverage::modules
    Payload payload;
};

struct LocatedCode {
    std::vector<PendingPayload> payloads;
    std::vector<Wrapper> wrappers;
};

// Appends modules, in the order of their offsets, and problems to `file`. Bare cubins and PTX are read at the depth asked for.
[[nodiscard]] LocatedCode locate_device_code(const ByteView& view, const ObjectFile& object, ScanDepth depth, const Limits& limits,
                                             unsigned threads, FileCoverage& file);

// A module made of one container; its payloads are appended to `payloads`.
void add_container(Container&& container, ModuleKind kind, std::string section, FileCoverage& file, std::vector<PendingPayload>& payloads);
void add_bare_image(Image&& image, std::string section, FileCoverage& file);

} // namespace cag
