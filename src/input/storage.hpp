// Where expanded bytes are kept: in memory while they are few, else in a file without a name, which the system removes when we end, however
// that happens.
#pragma once

#include "support/bytes.hpp"

#include <memory>
#include <string>

namespace cag {

// Bytes in memory that the source owns.
class OwnedSource final : public ByteSource {
  public:
    explicit OwnedSource(Bytes bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
        return MemorySource(bytes_).read(offset, out);
    }
    [[nodiscard]] std::span<const std::byte> in_memory() const override { return bytes_; }

  private:
    Bytes bytes_;
};

// Takes bytes in order and gives them back as a source.
class Storage {
  public:
    // At most `memory` bytes stay in memory.
    explicit Storage(std::uint64_t memory) : memory_(memory) {}
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    // Failure CAG408: there is no room for a temporary file.
    [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::shared_ptr<const ByteSource> finish();

  private:
    [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);

    std::uint64_t memory_;
    std::uint64_t size_ = 0;
    Bytes bytes_;
    int file_ = -1;
};

} // namespace cag
