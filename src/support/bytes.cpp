#include "support/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

namespace {

tl::unexpected<Problem> outside(const char* what, std::uint64_t offset, std::uint64_t size, std::uint64_t available,
                                std::uint64_t position) {
    return failure("CAG401",
                   fmt::format("{} at offset {:#x} wants {} bytes, but the part that holds it has {} bytes", what, offset, size, available),
                   position);
}

} // namespace

Result<void> MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (out.size() > bytes_.size() || offset > bytes_.size() - out.size()) {
        return outside("read", offset, out.size(), bytes_.size(), offset);
    }
    std::ranges::copy(bytes_.subspan(offset, out.size()), out.begin());
    return {};
}

Result<ByteView> ByteView::sub(std::uint64_t offset, std::uint64_t size, const char* what) const {
    if (!contains(offset, size)) {
        return outside(what, offset, size, size_, position(std::min(offset, size_)));
    }
    ByteView part = *this;
    part.begin_ = begin_ + offset;
    part.size_ = size;
    return part;
}

ByteView ByteView::from(std::uint64_t offset) const {
    ByteView part = *this;
    const std::uint64_t skipped = std::min(offset, size_);
    part.begin_ = begin_ + skipped;
    part.size_ = size_ - skipped;
    return part;
}

Result<void> ByteView::read_into(std::uint64_t offset, std::span<std::byte> out, const char* what) const {
    if (!contains(offset, out.size())) {
        return outside(what, offset, out.size(), size_, position(std::min(offset, size_)));
    }
    if (out.empty()) {
        return {};
    }
    return source_->read(begin_ + offset, out);
}

std::span<const std::byte> ByteView::in_memory() const {
    const auto all = source_ != nullptr ? source_->in_memory() : std::span<const std::byte>();
    return size_ <= all.size() && begin_ <= all.size() - size_ ? all.subspan(begin_, size_) : std::span<const std::byte>();
}

Result<Bytes> ByteView::bytes(std::uint64_t limit, const char* what) const {
    if (size_ > limit) {
        return failure("CAG404", fmt::format("{} has {} bytes, more than the limit of {} bytes", what, size_, limit), position());
    }
    Bytes copy(size_);
    if (auto done = read_into(0, copy, what); !done) {
        return tl::unexpected(done.error());
    }
    return copy;
}

std::optional<std::string_view> text_at(std::span<const std::byte> table, std::uint64_t offset) {
    if (offset >= table.size()) {
        return std::nullopt;
    }
    const auto rest = table.subspan(offset);
    const auto end = std::ranges::find(rest, std::byte{0});
    if (end == rest.end()) {
        return std::nullopt;
    }
    return std::string_view(reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin()));
}

} // namespace cag
