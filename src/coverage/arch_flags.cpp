#include "coverage/arch_flags.hpp"

#include <algorithm>

namespace cag {

namespace {

constexpr std::uint64_t block_size = std::uint64_t{1} << 20;
constexpr std::uint64_t overlap = 4096; // longer lists are not looked for

// At least two words, each sm_NN or compute_NN, perhaps with a letter, up to a NUL byte.
std::string list_at(std::string_view text) {
    const std::string_view list = text.substr(0, text.find('\0'));
    std::size_t words = 0;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(' ', begin), list.size());
        if (!parse_arch(list.substr(begin, end - begin))) {
            return {};
        }
        ++words;
        begin = end + 1;
    }
    return words > 1 && list.size() < text.size() ? std::string(list) : std::string{};
}

} // namespace

bool keeps_arch_flags(const FileCoverage& file) {
    const std::string& name = file.member ? *file.member : file.path;
    return name.find("torch") != std::string::npos;
}

std::string find_arch_flags(const ByteView& view, const ObjectFile& object) {
    for (const Section& section : object.sections) {
        if (!section.name.starts_with(".rodata") && section.name != ".rdata") {
            continue;
        }
        for (std::uint64_t at = 0; at < section.size; at += block_size) {
            const std::uint64_t size = std::min(section.size - at, block_size + overlap);
            const auto bytes = view.sub(section.offset + at, size, "constants").and_then([](ByteView part) {
                return part.bytes(block_size + overlap, "constants");
            });
            if (!bytes) {
                break;
            }
            const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
            // npos is behind the block as well.
            for (std::size_t found = text.find("sm_"); found < block_size; found = text.find("sm_", found + 1)) {
                const bool begins = found == 0 || text[found - 1] == '\0';
                if (std::string list = begins ? list_at(text.substr(found)) : ""; !list.empty()) {
                    return list;
                }
            }
        }
    }
    return {};
}

} // namespace cag
