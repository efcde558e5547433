// Bytes written in order, and patched afterwards.
#pragma once

#include "support/bytes.hpp"

#include <string_view>

namespace cag::test {

class Writer {
  public:
    template <class T>
    std::size_t put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* raw = reinterpret_cast<const std::byte*>(&value);
        return append({raw, sizeof(T)});
    }
    // Without a terminating NUL; returns where the text starts.
    std::size_t text(std::string_view text) { return append(std::as_bytes(std::span(text.data(), text.size()))); }
    std::size_t append(std::span<const std::byte> more) {
        const std::size_t start = bytes_.size();
        bytes_.insert(bytes_.end(), more.begin(), more.end());
        return start;
    }
    void align(std::size_t alignment) { bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment); }
    template <class T>
    void patch(std::size_t offset, const T& value) {
        std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    }

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] const Bytes& bytes() const { return bytes_; }
    [[nodiscard]] Bytes take() { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

inline Bytes bytes_of(std::string_view text) {
    Writer writer;
    writer.text(text);
    return writer.take();
}

inline Bytes joined(const std::vector<Bytes>& parts) {
    Writer writer;
    for (const Bytes& part : parts) {
        writer.append(part);
    }
    return writer.take();
}

template <class Record>
void append(Bytes& bytes, const Record& record) {
    const auto raw = std::as_bytes(std::span(&record, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Bytes with the source that views need.
class Input {
  public:
    explicit Input(Bytes bytes) : bytes_(std::move(bytes)), source_(bytes_) {}
    [[nodiscard]] ByteView view() const { return ByteView(source_); }
    [[nodiscard]] const Bytes& bytes() const { return bytes_; }

  private:
    Bytes bytes_;
    MemorySource source_;
};

} // namespace cag::test
