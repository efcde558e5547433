// Checked reads. Every byte of input goes through here: nothing else does pointer arithmetic on input.
//
// Files are read with pread and not mapped: a file that another process shortens gives an error and not a signal, and pages that were
// only searched do not stay in our memory.
#pragma once

#include "support/result.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cag {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian and so must be the host");

using Bytes = std::vector<std::byte>;

// Random access to bytes of a known size. Reads are safe from several threads.
class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    [[nodiscard]] virtual std::uint64_t size() const = 0;
    // Fills `out`, or says why not. [offset, offset + out.size()) lies inside the source.
    [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) const = 0;
    // The bytes where they lie in memory already; empty where they do not.
    [[nodiscard]] virtual std::span<const std::byte> in_memory() const { return {}; }
};

// Bytes in memory that somebody else owns.
class MemorySource final : public ByteSource {
  public:
    explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;
    [[nodiscard]] std::span<const std::byte> in_memory() const override { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
};

// A part of a source, as cheap to copy as a span. Offsets are relative to the view; those in problems are relative to the source.
class ByteView {
  public:
    ByteView() = default;
    explicit ByteView(const ByteSource& source) : source_(&source), size_(source.size()) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    // Where `offset` lies in the source, for messages.
    [[nodiscard]] std::uint64_t position(std::uint64_t offset = 0) const { return begin_ + offset; }
    [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t size) const { return size <= size_ && offset <= size_ - size; }

    // The view of [offset, offset + size). `what` names the thing in the message.
    [[nodiscard]] Result<ByteView> sub(std::uint64_t offset, std::uint64_t size, const char* what) const;
    // From `offset` to the end; empty where offset lies behind it.
    [[nodiscard]] ByteView from(std::uint64_t offset) const;

    [[nodiscard]] Result<void> read_into(std::uint64_t offset, std::span<std::byte> out, const char* what) const;
    // The bytes where they lie in memory already; empty where they have to be read.
    [[nodiscard]] std::span<const std::byte> in_memory() const;
    // A copy of the whole view; views larger than `limit` are a problem.
    [[nodiscard]] Result<Bytes> bytes(std::uint64_t limit, const char* what) const;

    // A fixed-layout structure or number.
    template <class T>
    [[nodiscard]] Result<T> read(std::uint64_t offset, const char* what) const {
        static_assert(std::is_trivially_copyable_v<T>);
        std::array<std::byte, sizeof(T)> raw;
        if (auto done = read_into(offset, raw, what); !done) {
            return tl::unexpected(done.error());
        }
        return std::bit_cast<T>(raw);
    }

  private:
    const ByteSource* source_ = nullptr;
    std::uint64_t begin_ = 0;
    std::uint64_t size_ = 0;
};

// A part of another source as a source of its own, so that offsets count from the part's start: a member of an archive.
class PartSource final : public ByteSource {
  public:
    // `part` is a view of `whole`, which is kept alive.
    PartSource(std::shared_ptr<const ByteSource> whole, ByteView part) : whole_(std::move(whole)), part_(part) {}
    [[nodiscard]] std::uint64_t size() const override { return part_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
        return part_.read_into(offset, out, "member");
    }

  private:
    std::shared_ptr<const ByteSource> whole_;
    ByteView part_;
};

// The NUL-terminated text at `offset` of a string table; nullopt where the offset lies outside or no NUL follows.
[[nodiscard]] std::optional<std::string_view> text_at(std::span<const std::byte> table, std::uint64_t offset);

} // namespace cag
