#include "input/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cag {

namespace {

constexpr std::uint64_t always_allowed = std::uint64_t{4} << 30;

} // namespace

Expansion::Expansion(std::uint64_t stored, const Limits& limits) : ratio_(limits.max_archive_ratio) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t by_ratio = ratio_ != 0 && stored > most / ratio_ ? most : stored * ratio_;
    limit_ = std::max(always_allowed, by_ratio);
}

Result<void> Expansion::take(std::uint64_t bytes) {
    if (const std::uint64_t before = taken_.fetch_add(bytes); before > limit_ || bytes > limit_ - before) {
        return failure("CAG404", fmt::format("the archive expands to more than {} bytes, {} times its size: the rest is not read; if it is "
                                             "trusted, raise --max-archive-ratio",
                                             limit_, ratio_));
    }
    return {};
}

void CollectionOptions::classify(Entry& entry, std::uint64_t size, std::span<const std::byte> head) const {
    constexpr std::uint64_t most_text = std::uint64_t{1} << 20;
    entry.content = content_of(head, head.size() == size, may_hold_code);
    if (entry.content != Content::nothing) {
        return;
    }
    if (wants_text && size <= most_text && wants_text(entry.name)) {
        entry.content = Content::text;
    } else if (const auto format = unread_archive(head); !format.empty()) {
        entry.problems.push_back(
            {"CAG408",
             fmt::format("expected an archive of a format that is read, found {}: unpack it and name the folder, or, where "
                         "it surely holds no device code, take it out or name what lies beside it",
                         format),
             {}});
    }
}

std::string unsafe_name(const std::string& name) {
    if (name.starts_with('/') || name.starts_with('\\') || (name.size() > 1 && name[1] == ':')) {
        return "it is an absolute path";
    }
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
        if (name.substr(begin, end - begin) == "..") {
            return "it leads out of the folder by \"..\"";
        }
        begin = end + 1;
    }
    return name.find('\0') != std::string::npos ? "it holds a NUL byte" : "";
}

bool recognise(Entry& entry, std::uint64_t size, std::span<const std::byte> head, const CollectionOptions& options) {
    options.classify(entry, size, head);
    if (entry.content == Content::nothing) {
        return false;
    }
    if (const std::string reason = unsafe_name(entry.name); !reason.empty()) {
        entry.problems.push_back({"CAG412", fmt::format("the member's name cannot be trusted: {}", reason), {}});
    }
    return true;
}

} // namespace cag
