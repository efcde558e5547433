#include "input/text_file.hpp"

#include "input/file.hpp"
#include "support/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unistd.h>

namespace cag {
namespace {

Result<std::string> text_of_standard_input(std::uint64_t limit) {
    std::string text;
    std::array<char, 65536> block;
    for (ssize_t got = 0; (got = ::read(STDIN_FILENO, block.data(), block.size())) > 0;) {
        text.append(block.data(), static_cast<std::size_t>(got));
        if (text.size() > limit) {
            return failure("CAG404", fmt::format("standard input is longer than {} bytes", limit));
        }
    }
    return text;
}

} // namespace

Result<std::string> text_of_file(const std::string& path) {
    const std::uint64_t limit = Limits{}.max_table;
    if (path == "-") {
        return text_of_standard_input(limit);
    }
    const auto file = FileSource::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const auto bytes = ByteView(**file).bytes(limit, "text");
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    std::string text(bytes->size(), '\0');
    std::transform(bytes->begin(), bytes->end(), text.begin(), [](std::byte byte) { return static_cast<char>(byte); });
    return text;
}

} // namespace cag
