#include "object/object.hpp"

#include "object/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

namespace {

bool holds(std::uint64_t begin, std::uint64_t size, std::uint64_t value) { return value >= begin && value - begin < size; }

} // namespace

void clip_to_file(Section& section, const ByteView& file, std::vector<Problem>& problems) {
    if (section.size == 0) { // .tbss of a stripped file may begin behind the file's end: it has no bytes there
        section.offset = std::min(section.offset, file.size());
        return;
    }
    if (file.contains(section.offset, section.size)) {
        return;
    }
    problems.push_back({"CAG401",
                        fmt::format("section {} wants {} bytes at offset {:#x}, but the file ends at {:#x}: it is cut short", section.name,
                                    section.size, section.offset, file.size()),
                        file.position(std::min(section.offset, file.size()))});
    section.offset = std::min(section.offset, file.size());
    section.size = file.size() - section.offset;
}

std::optional<std::uint64_t> ObjectFile::offset_of_address(std::uint64_t address) const {
    const auto found = std::ranges::find_if(sections, [&](const Section& s) { return s.loaded && holds(s.address, s.size, address); });
    if (found == sections.end()) {
        return std::nullopt;
    }
    return found->offset + (address - found->address);
}

const Section* ObjectFile::section_at(std::uint64_t offset) const {
    const auto found = std::ranges::find_if(sections, [&](const Section& s) { return holds(s.offset, s.size, offset); });
    return found == sections.end() ? nullptr : &*found;
}

const Section* ObjectFile::section_named(std::string_view name) const {
    const auto found = std::ranges::find_if(sections, [&](const Section& s) { return s.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

} // namespace cag
