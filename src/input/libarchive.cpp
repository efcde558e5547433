#include "input/libarchive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;
// A cpio header may declare a name of 4 GiB, and libarchive reads it into memory.
constexpr std::uint64_t most_header = std::uint64_t{64} << 20;

} // namespace

ArchiveReader::ArchiveReader(std::shared_ptr<const ByteSource> source, ByteView bytes, Formats formats)
    : source_(std::move(source)), bytes_(bytes), formats_(formats), buffer_(std::min<std::uint64_t>(block_size, bytes.size())),
      archive_(archive_read_new()) {
    if (archive_ == nullptr) {
        throw std::bad_alloc();
    }
    if (formats == Formats::zip_member) {
        archive_read_support_format_zip_streamable(archive_);
    } else {
        if (formats == Formats::data) {
            archive_read_support_filter_gzip(archive_);
            archive_read_support_filter_bzip2(archive_);
            archive_read_support_filter_xz(archive_);
            archive_read_support_filter_zstd(archive_);
            archive_read_support_filter_rpm(archive_);
        } else {
            archive_read_support_format_tar(archive_);
            archive_read_support_format_gnutar(archive_);
            archive_read_support_format_cpio(archive_);
            archive_read_support_format_ar(archive_);
        }
        archive_read_support_format_raw(archive_);
    }
    archive_read_set_callback_data(archive_, this);
    archive_read_set_read_callback(archive_, &ArchiveReader::feed);
    archive_read_set_skip_callback(archive_, &ArchiveReader::skip);
}

ArchiveReader::~ArchiveReader() { archive_read_free(archive_); }

Result<void> ArchiveReader::read_packed() {
    auto packed = std::make_unique<ArchiveReader>(source_, bytes_, Formats::data);
    const auto begun = packed->next();
    if (!begun) {
        return tl::unexpected(begun.error());
    }
    if (*begun && packed->is_compressed()) {
        packed_ = std::move(packed);
        buffer_.resize(block_size);
    }
    return {};
}

Result<std::size_t> ArchiveReader::more(std::span<std::byte> out) {
    if (packed_) {
        return packed_->read(out);
    }
    const auto part = out.first(std::min<std::uint64_t>(out.size(), bytes_.size() - position_));
    if (auto done = bytes_.read_into(position_, part, "archive"); !done) {
        return tl::unexpected(done.error());
    }
    position_ += part.size();
    return part.size();
}

bool ArchiveReader::at_end() const { return packed_ ? packed_->at_end() : position_ == bytes_.size(); }

std::ptrdiff_t ArchiveReader::feed(archive*, void* self, const void** block) {
    auto& reader = *static_cast<ArchiveReader*>(self);
    const auto got = reader.more(reader.buffer_);
    if (!got) {
        reader.input_problem_ = got.error();
        return ARCHIVE_FATAL;
    }
    reader.last_fed_ = *got;
    reader.fed_ = reader.packed_ ? reader.fed_ + *got : reader.position_;
    reader.header_bytes_ += reader.in_header_ ? *got : 0;
    if (reader.header_bytes_ > most_header) {
        reader.input_problem_ =
            Problem{"CAG404", fmt::format("a member's header takes more than {} bytes; the rest is not read", most_header), {}};
        return ARCHIVE_FATAL;
    }
    *block = reader.buffer_.data();
    return static_cast<std::ptrdiff_t>(*got);
}

std::int64_t ArchiveReader::skip(archive*, void* self, std::int64_t wanted) {
    auto& reader = *static_cast<ArchiveReader*>(self);
    if (reader.packed_) {
        return 0;
    }
    const std::uint64_t step =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max<std::int64_t>(0, wanted)), reader.bytes_.size() - reader.position_);
    reader.position_ += step;
    return static_cast<std::int64_t>(step);
}

tl::unexpected<Problem> ArchiveReader::problem(const char* doing) const {
    if (input_problem_) {
        return tl::unexpected(*input_problem_);
    }
    const char* text = archive_error_string(archive_);
    if (formats_ == Formats::zip_member) { // that its bytes are there is known
        return failure("CAG403", fmt::format("{}: {}", doing, text != nullptr ? text : "the data is damaged"));
    }
    return failure(at_end() ? "CAG401" : "CAG402", fmt::format("{}: {}{}", doing, text != nullptr ? text : "the data is damaged",
                                                               at_end() ? " (at the end of the bytes: cut short?)" : ""));
}

Result<bool> ArchiveReader::next() {
    if (entry_ == nullptr && formats_ == Formats::streams) {
        if (auto done = read_packed(); !done) {
            return tl::unexpected(done.error());
        }
    }
    if (entry_ == nullptr && archive_read_open1(archive_) != ARCHIVE_OK) {
        return problem("cannot open the archive");
    }
    if (entry_ != nullptr && archive_read_data_skip(archive_) < ARCHIVE_WARN) {
        return problem("cannot pass over the member");
    }
    header_bytes_ = 0;
    in_header_ = formats_ == Formats::streams;
    const int status = archive_read_next_header(archive_, &entry_);
    in_header_ = false;
    if (status == ARCHIVE_EOF) {
        return false;
    }
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) { // warnings are about names and attributes
        return problem("cannot read the next member");
    }
    return true;
}

Result<void> ArchiveReader::check_end() {
    constexpr std::uint64_t block = 512;
    const int format = archive_format(archive_) & ARCHIVE_FORMAT_BASE_MASK;
    if (format != ARCHIVE_FORMAT_TAR && format != ARCHIVE_FORMAT_CPIO) {
        return {};
    }
    const std::uint64_t end = position();
    if (format == ARCHIVE_FORMAT_TAR && fed_ < end + block) {
        return failure("CAG401", "the archive lacks the zeros at its end: it is cut short, and members may be missing", end);
    }
    std::span<const std::byte> rest(buffer_);
    if (!packed_) {
        position_ = std::min(bytes_.size(), end + (format == ARCHIVE_FORMAT_TAR ? block : fed_ - end));
        rest = {};
    } else {
        const std::uint64_t in_buffer = format == ARCHIVE_FORMAT_TAR ? std::min(fed_ - end - block, last_fed_) : 0;
        rest = rest.first(last_fed_).last(in_buffer);
    }
    for (;;) {
        if (std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; })) {
            return failure("CAG402", "more bytes follow the end of the archive, another archive perhaps: they are not read", end);
        }
        const auto got = more(buffer_);
        if (!got || *got == 0) {
            return got ? Result<void>{} : tl::unexpected(got.error());
        }
        rest = std::span<const std::byte>(buffer_).first(*got);
    }
}

// libarchive does not look at what stands behind the data: {u32 CRC-32, u32 size modulo 2^32}, both of what the last member expands to.
// Where several members follow each other (their sizes do not add up) only the last one could be checked, and is not.
Result<void> ArchiveReader::check_gzip() const {
    constexpr std::uint64_t smallest = 18;
    const auto magic = bytes_.read<std::array<unsigned char, 3>>(0, "gzip magic");
    if (!magic || *magic != std::array<unsigned char, 3>{0x1f, 0x8b, 8} || bytes_.size() < smallest) {
        return {};
    }
    const auto crc = bytes_.read<std::uint32_t>(bytes_.size() - 8, "CRC-32 of gzip");
    const auto size = bytes_.read<std::uint32_t>(bytes_.size() - 4, "size of gzip");
    if (crc && size && *size == static_cast<std::uint32_t>(given_) && *crc != crc_) {
        return failure("CAG403", "the bytes do not have the checksum (CRC-32) that gzip records at its end: they are damaged",
                       bytes_.size() - 8);
    }
    return {};
}

std::string ArchiveReader::name() const {
    const char* name = archive_entry_pathname(entry_);
    if (name == nullptr) { // not in the locale's character set
        name = archive_entry_pathname_utf8(entry_);
    }
    return name != nullptr ? name : "(a name that cannot be read)";
}

bool ArchiveReader::is_file() const {
    // Archives that `ar` made record permissions alone: a member without a type has bytes like any file.
    const auto type = archive_entry_filetype(entry_);
    return (type == AE_IFREG || type == 0) && archive_entry_hardlink(entry_) == nullptr;
}

std::string ArchiveReader::link() const {
    const char* target = archive_entry_symlink(entry_);
    return target != nullptr ? target : "";
}

bool ArchiveReader::is_raw() const { return archive_format(archive_) == ARCHIVE_FORMAT_RAW; }

bool ArchiveReader::is_compressed() const { return packed_ || archive_filter_code(archive_, 0) != ARCHIVE_FILTER_NONE; }

bool ArchiveReader::is_sparse() const { return archive_entry_sparse_count(entry_) != 0; }

std::uint64_t ArchiveReader::size() const { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_entry_size(entry_))); }

std::uint64_t ArchiveReader::position() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_read_header_position(archive_)));
}

Result<std::size_t> ArchiveReader::read(std::span<std::byte> out) {
    std::size_t filled = 0;
    while (filled < out.size()) {
        const auto got = archive_read_data(archive_, out.data() + filled, out.size() - filled);
        if (got < 0) {
            return problem("cannot expand the member");
        }
        if (got == 0) {
            break;
        }
        filled += static_cast<std::size_t>(got);
    }
    if (formats_ == Formats::data) {
        crc_ = libdeflate_crc32(crc_, out.data(), filled);
        given_ += filled;
        if (filled < out.size()) {
            if (auto done = check_gzip(); !done) {
                return tl::unexpected(done.error());
            }
        }
    }
    return filled;
}

std::uint64_t ArchiveReader::expanded() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_filter_bytes(archive_, 0)));
}

std::string ArchiveReader::format() const {
    std::string name;
    switch (archive_format(archive_) & ARCHIVE_FORMAT_BASE_MASK) {
    case ARCHIVE_FORMAT_TAR:
        name = "tar";
        break;
    case ARCHIVE_FORMAT_CPIO:
        name = "cpio";
        break;
    case ARCHIVE_FORMAT_AR:
        name = "deb";
        break;
    default:
        break;
    }
    static const std::pair<int, const char*> filters[] = {
        {ARCHIVE_FILTER_GZIP, "gz"}, {ARCHIVE_FILTER_BZIP2, "bz2"}, {ARCHIVE_FILTER_XZ, "xz"}, {ARCHIVE_FILTER_ZSTD, "zst"}};
    archive* packed = packed_ ? packed_->archive_ : archive_;
    for (int i = 0; i < archive_filter_count(packed); ++i) {
        const int code = archive_filter_code(packed, i);
        if (code == ARCHIVE_FILTER_RPM) {
            return "rpm";
        }
        for (const auto& [filter, suffix] : filters) {
            if (filter == code) {
                name += name.empty() ? suffix : std::string(".") + suffix;
            }
        }
    }
    return name.empty() ? "archive" : name;
}

} // namespace cag
