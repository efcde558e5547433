// Reads of small pieces that lie close together: one read of the source serves a header, its strings and often the next header too.
#pragma once

#include "support/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace cag::fatbin {

class Window {
  public:
    explicit Window(const ByteView& view) : view_(view) {}

    [[nodiscard]] const ByteView& view() const { return view_; }

    // [offset, offset + size) of the view; valid until the next call.
    [[nodiscard]] Result<std::span<const std::byte>> get(std::uint64_t offset, std::uint64_t size, const char* what) {
        if (offset < begin_ || size > buffer_.size() || offset - begin_ > buffer_.size() - size) {
            auto part = view_.sub(offset, size, what);
            if (!part) {
                return tl::unexpected(part.error());
            }
            buffer_.resize(std::max(size, std::min(view_.size() - offset, read_ahead)));
            begin_ = offset;
            if (auto done = view_.read_into(offset, buffer_, what); !done) {
                buffer_.clear();
                return tl::unexpected(done.error());
            }
        }
        return std::span<const std::byte>(buffer_).subspan(offset - begin_, size);
    }

    template <class T>
    [[nodiscard]] Result<T> read(std::uint64_t offset, const char* what) {
        return get(offset, sizeof(T), what).map([](std::span<const std::byte> raw) {
            T value;
            std::memcpy(&value, raw.data(), sizeof(T));
            return value;
        });
    }

    // Drops the first `count` bytes of the view; what was read of the rest stays.
    void advance(std::uint64_t count) {
        view_ = view_.from(count);
        if (begin_ >= count) {
            begin_ -= count;
        } else {
            const std::uint64_t gone = std::min<std::uint64_t>(count - begin_, buffer_.size());
            buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(gone));
            begin_ = 0;
        }
    }

  private:
    static constexpr std::uint64_t read_ahead = 512;

    ByteView view_;
    Bytes buffer_;
    std::uint64_t begin_ = 0;
};

} // namespace cag::fatbin
