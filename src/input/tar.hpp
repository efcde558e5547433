// Tar archives that are not compressed: every member lies in the file as it is, and is read there.
#pragma once

#include "input/collection.hpp"

namespace cag {

struct TarMember {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool is_file = false; // with bytes of its own: no link, no folder
    std::string link;     // the target of a symbolic link; empty for anything else
};

struct TarIndex {
    std::vector<TarMember> members;
    std::vector<Problem> problems;
};

// By its first bytes.
[[nodiscard]] bool is_plain_tar(const ByteSource& source);

// nullopt where it is no plain tar archive, or one with sparse members, whose bytes do not lie in one piece.
[[nodiscard]] std::optional<TarIndex> read_tar_index(const std::shared_ptr<const ByteSource>& source, const Limits& limits);

// The same as a collection; a container image where its members say so. Empty where read_tar_index() gives nothing.
[[nodiscard]] std::unique_ptr<Collection> open_plain_tar(const std::shared_ptr<const ByteSource>& source, const CollectionOptions& options);

} // namespace cag
