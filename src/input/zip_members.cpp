// A zip archive's members as entries. Stored members are read where they lie. Deflated ones are expanded when they are opened, so that many
// threads can do it: by libdeflate, which needs room for the whole member, or piece by piece into a temporary file where the member is
// large.
#include "input/collection.hpp"
#include "input/libarchive.hpp"
#include "input/storage.hpp"
#include "input/zip.hpp"
#include "support/parallel.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>

namespace cag {

namespace {

constexpr std::uint16_t stored = 0;
constexpr std::uint16_t deflated = 8;
constexpr std::uint64_t expanded_to_look = std::uint64_t{128} << 10; // small members are expanded whole to see their first bytes
constexpr std::uint64_t least_code = 16;                             // bytes of the smallest file with device code: a container's header
constexpr std::size_t chunk = 256;                                   // members whose first bytes are looked at together
constexpr std::size_t block_size = std::size_t{256} << 10;

Problem wrong_crc() {
    return {"CAG403", "the member's bytes do not have the checksum (CRC-32) that the archive records: they are damaged", {}};
}

Result<Bytes> inflate(const ByteView& compressed, std::uint64_t size) {
    auto in = compressed.bytes(compressed.size(), "deflated member");
    if (!in) {
        return in;
    }
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(libdeflate_alloc_decompressor(),
                                                                                                    libdeflate_free_decompressor);
    if (!decompressor) {
        throw std::bad_alloc();
    }
    Bytes out(size);
    std::size_t written = 0;
    const auto status = libdeflate_deflate_decompress(decompressor.get(), in->data(), in->size(), out.data(), out.size(), &written);
    if (status != LIBDEFLATE_SUCCESS || written != size) {
        return failure("CAG403", fmt::format("the member does not expand to the {} bytes that the archive records: it is damaged", size));
    }
    return out;
}

class Zip final : public Collection {
  public:
    Zip(std::shared_ptr<const ByteSource> source, CollectionOptions options)
        : options_(std::move(options)), source_(std::move(source)), directory_(read_zip_directory(ByteView(*source_), options_.limits)) {}

    [[nodiscard]] const char* format() const override { return "zip"; }
    [[nodiscard]] std::vector<Problem> problems() const override { return directory_.problems; }
    [[nodiscard]] Position position() const override { return {std::min(passed_, source_->size()), source_->size()}; }

    [[nodiscard]] std::optional<Entry> next() override {
        for (;;) {
            if (given_ == looked_at_.size()) {
                if (begun_ == directory_.members.size()) {
                    return std::nullopt;
                }
                look_at_next();
            }
            while (given_ < looked_at_.size()) {
                passed_ += directory_.members[begun_ - looked_at_.size() + given_].stored_size;
                Entry& entry = looked_at_[given_++];
                if (entry.content != Content::nothing || !entry.problems.empty()) {
                    return std::move(entry);
                }
            }
        }
    }

  private:
    void look_at_next() {
        const std::size_t first = begun_;
        begun_ = std::min(directory_.members.size(), begun_ + chunk);
        looked_at_.clear();
        looked_at_.resize(begun_ - first);
        given_ = 0;
        parallel_for(looked_at_.size(), options_.threads, [&](std::size_t i) { looked_at_[i] = look_at(directory_.members[first + i]); });
    }

    [[nodiscard]] Entry look_at(const ZipMember& member) const {
        Entry entry;
        entry.name = member.name;
        entry.size = member.size;
        if (member.overlaps || member.size < least_code || member.name.ends_with('/')) {
            return entry;
        }
        if (member.encrypted) {
            entry.problems.push_back({"CAG408", "the member is encrypted and cannot be read", member.header});
            return entry;
        }
        const auto head = first_bytes(member);
        if (!head) {
            entry.problems.push_back(head.error());
            return entry;
        }
        if (!recognise(entry, member.size, *head, options_)) {
            return entry;
        }
        if (member.method != stored && member.size <= options_.memory_for_member()) {
            entry.memory = member.size;
        }
        entry.open = [source = source_, member, options = options_] { return open_member(source, member, options); };
        return entry;
    }

    [[nodiscard]] Result<Bytes> first_bytes(const ZipMember& member) const {
        const std::uint64_t wanted = std::min<std::uint64_t>(content_head, member.size);
        const auto bytes = stored_bytes(ByteView(*source_), member);
        if (!bytes) {
            return tl::unexpected(bytes.error());
        }
        if (member.method == stored) {
            return bytes->sub(0, wanted, "member").and_then([&](ByteView head) { return head.bytes(content_head, "member"); });
        }
        if (member.method == deflated && member.size <= expanded_to_look) {
            return inflate(*bytes, member.size).map([&](Bytes whole) {
                whole.resize(wanted);
                return whole;
            });
        }
        ArchiveReader reader(source_, from_header(*source_, member), ArchiveReader::Formats::zip_member);
        Bytes head(wanted);
        const auto got = reader.next().and_then([&](bool) { return reader.read(head); });
        if (!got) {
            return tl::unexpected(got.error());
        }
        head.resize(*got);
        return head;
    }

    // libarchive parses the local header itself. It may need the record behind the bytes, so it gets the rest of the archive.
    static ByteView from_header(const ByteSource& source, const ZipMember& member) { return ByteView(source).from(member.header); }

    static Result<std::shared_ptr<const ByteSource>> open_member(const std::shared_ptr<const ByteSource>& source, const ZipMember& member,
                                                                 const CollectionOptions& options) {
        const auto bytes = stored_bytes(ByteView(*source), member);
        if (!bytes) {
            return tl::unexpected(bytes.error());
        }
        if (member.size > options.limits.max_member) {
            return failure("CAG404", fmt::format("the member expands to {} bytes, the limit is {}; if it is trusted, raise --max-member",
                                                 member.size, options.limits.max_member));
        }
        if (member.method == stored) {
            return open_stored(source, member, *bytes, options);
        }
        if (auto done = options.expansion->take(member.size); !done) {
            return tl::unexpected(done.error());
        }
        if (member.method == deflated && member.size <= options.memory_for_member()) {
            auto whole = inflate(*bytes, member.size);
            if (!whole) {
                return tl::unexpected(whole.error());
            }
            if (libdeflate_crc32(0, whole->data(), whole->size()) != member.crc) {
                return tl::unexpected(wrong_crc());
            }
            return std::make_shared<OwnedSource>(*std::move(whole));
        }
        return expand_in_pieces(source, member, options);
    }

    static Result<std::shared_ptr<const ByteSource>> open_stored(const std::shared_ptr<const ByteSource>& source, const ZipMember& member,
                                                                 const ByteView& bytes, const CollectionOptions& options) {
        if (member.size != member.stored_size) {
            return failure(
                "CAG402",
                fmt::format("a member that is not compressed has {} bytes, and {} in the archive", member.size, member.stored_size),
                member.header);
        }
        Bytes block(std::min<std::uint64_t>(block_size, bytes.size()));
        std::uint32_t crc = 0;
        for (std::uint64_t at = 0; at < bytes.size(); at += block.size()) {
            const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), bytes.size() - at));
            if (auto done = bytes.read_into(at, part, "member"); !done) {
                return tl::unexpected(done.error());
            }
            crc = libdeflate_crc32(crc, part.data(), part.size());
            options.tell_expanded(part.size());
        }
        if (crc != member.crc) {
            return tl::unexpected(wrong_crc());
        }
        return std::make_shared<PartSource>(source, bytes);
    }

    static Result<std::shared_ptr<const ByteSource>> expand_in_pieces(const std::shared_ptr<const ByteSource>& source,
                                                                      const ZipMember& member, const CollectionOptions& options) {
        ArchiveReader reader(source, from_header(*source, member), ArchiveReader::Formats::zip_member);
        if (const auto found = reader.next(); !found || !*found) {
            return found ? failure("CAG402", "the member's header is damaged", member.header) : tl::unexpected(found.error());
        }
        Storage storage(options.memory_for_member());
        Bytes block(block_size);
        std::uint32_t crc = 0;
        for (;;) {
            const auto got = reader.read(block);
            if (!got) {
                return tl::unexpected(got.error());
            }
            if (*got == 0) {
                break;
            }
            options.tell_expanded(*got);
            const auto part = std::span(block).first(*got);
            crc = libdeflate_crc32(crc, part.data(), part.size());
            if (storage.size() + *got > member.size) {
                return failure("CAG402", fmt::format("the member expands to more than the {} bytes that the archive records", member.size));
            }
            if (auto kept = storage.append(part); !kept) {
                return tl::unexpected(kept.error());
            }
        }
        if (storage.size() != member.size || crc != member.crc) {
            return tl::unexpected(wrong_crc());
        }
        return storage.finish();
    }

    CollectionOptions options_;
    std::shared_ptr<const ByteSource> source_;
    ZipDirectory directory_;
    std::vector<Entry> looked_at_;
    std::size_t given_ = 0; // of looked_at_
    std::size_t begun_ = 0; // of directory_.members
    std::uint64_t passed_ = 0;
};

} // namespace

std::unique_ptr<Collection> open_zip(std::shared_ptr<const ByteSource> source, const CollectionOptions& options) {
    return std::make_unique<Zip>(std::move(source), options);
}

} // namespace cag
