// Reading through libarchive, on bytes of our own. The only place that knows it.
#pragma once

#include "support/bytes.hpp"

#include <memory>
#include <string>

struct archive;
struct archive_entry;

namespace cag {

class ArchiveReader {
  public:
    enum class Formats : std::uint8_t {
        streams,    // tar, cpio, rpm, deb, or anything compressed
        data,       // what is compressed, whatever it is
        zip_member, // one member of a zip archive, from its local header on
    };
    ArchiveReader(std::shared_ptr<const ByteSource> source, ByteView bytes, Formats formats);
    ~ArchiveReader();
    ArchiveReader(const ArchiveReader&) = delete;
    ArchiveReader& operator=(const ArchiveReader&) = delete;

    // False at the end of the archive.
    [[nodiscard]] Result<bool> next();
    // At the end of the archive: what is wrong with how it ends. Nothing else shows that it was cut between two members, or that a second
    // archive stands behind it, which most programs do not read either.
    [[nodiscard]] Result<void> check_end();
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool is_file() const;       // a regular one with bytes of its own: no link, no device
    [[nodiscard]] std::string link() const;   // the target of a symbolic link; empty for anything else
    [[nodiscard]] bool is_raw() const;        // no archive
    [[nodiscard]] bool is_compressed() const; // as a whole
    [[nodiscard]] bool is_sparse() const;
    [[nodiscard]] std::uint64_t size() const;     // of the member; 0 where it is not known before it is read
    [[nodiscard]] std::uint64_t position() const; // where the member's header begins; at the end of the archive, where it ends
    // The next bytes of the member; fewer than asked for at its end.
    [[nodiscard]] Result<std::size_t> read(std::span<std::byte> out);
    // Bytes of the archive that were read so far.
    [[nodiscard]] std::uint64_t consumed() const { return packed_ ? packed_->consumed() : position_; }
    // Bytes that came out of the decompression so far, of skipped members too.
    [[nodiscard]] std::uint64_t expanded() const;
    [[nodiscard]] std::string format() const; // "tar.gz"

  private:
    static std::ptrdiff_t feed(archive*, void* self, const void** block);
    static std::int64_t skip(archive*, void* self, std::int64_t wanted);
    [[nodiscard]] tl::unexpected<Problem> problem(const char* doing) const;

    [[nodiscard]] Result<void> read_packed(); // goes over to two steps where the bytes are compressed
    [[nodiscard]] Result<std::size_t> more(std::span<std::byte> out);
    [[nodiscard]] bool at_end() const;
    [[nodiscard]] Result<void> check_gzip() const;

    std::shared_ptr<const ByteSource> source_; // kept alive
    ByteView bytes_;
    Formats formats_;
    // Decompression is a step of its own below the archive, so that what a header alone takes can be counted between the two.
    std::unique_ptr<ArchiveReader> packed_;
    bool in_header_ = false;
    std::uint64_t header_bytes_ = 0;
    std::uint64_t position_ = 0;
    std::uint64_t fed_ = 0;      // where the bytes end that libarchive was given; it is given `buffer_` again and again
    std::uint64_t last_fed_ = 0; // so many bytes of `buffer_` were given last
    Bytes buffer_;
    std::uint64_t given_ = 0; // bytes that read() gave, and their CRC-32
    std::uint32_t crc_ = 0;
    std::optional<Problem> input_problem_;
    archive* archive_ = nullptr;
    archive_entry* entry_ = nullptr;
};

} // namespace cag
