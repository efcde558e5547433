// A file on disk as a byte source.
#pragma once

#include "support/bytes.hpp"

#include <string>

namespace cag {

// Read with pread: a file that shrinks while we read gives a problem. Only regular files are opened, so that a fifo cannot block us.
class FileSource final : public ByteSource {
  public:
    [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path);
    // Takes over an open regular file.
    FileSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
    ~FileSource() override;

    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;

  private:
    int descriptor_;
    std::uint64_t size_;
};

} // namespace cag
