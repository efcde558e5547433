#include "coverage/wrappers.hpp"

#include <algorithm>

namespace cag {

namespace {

struct RawWrapper {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t data;
    std::uint64_t inputs;
};
static_assert(sizeof(RawWrapper) == wrapper_size);

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint64_t data_field = 8;

} // namespace

std::optional<Wrapper> read_wrapper(const ByteView& view, const ObjectFile& object, std::uint64_t offset,
                                    const std::vector<RelocatedPointer>& relocated) {
    const auto raw = view.read<RawWrapper>(offset, "fatbin wrapper");
    if (!raw || raw->magic != wrapper_magic || (raw->version != 1 && raw->version != 2)) {
        return std::nullopt;
    }
    const auto moved = std::ranges::find(relocated, offset + data_field, &RelocatedPointer::offset);
    const auto container = moved != relocated.end() ? std::optional(moved->target) : object.offset_of_address(raw->data);
    if (!container) {
        return std::nullopt;
    }
    return Wrapper{raw->version, offset, *container, raw->inputs};
}

std::vector<Wrapper> read_wrappers(const ByteView& view, const ObjectFile& object, const Section& section, const Limits& limits) {
    // GNU ld writes the pointers in place as well as in the relocations; lld and every assembler write the relocations only.
    std::vector<RelocatedPointer> relocated;
    const auto first = view.read<RawWrapper>(section.offset, "fatbin wrapper");
    if (object.kind == ObjectFile::Kind::relocatable || (first && first->data == 0)) {
        const auto index = static_cast<std::size_t>(&section - object.sections.data());
        relocated = relocated_pointers(view, index, limits);
    }
    std::vector<Wrapper> wrappers;
    for (std::uint64_t at = 0; at + sizeof(RawWrapper) <= section.size; at += sizeof(RawWrapper)) {
        if (auto wrapper = read_wrapper(view, object, section.offset + at, relocated)) {
            wrappers.push_back(*wrapper);
        }
    }
    return wrappers;
}

} // namespace cag
