// Archives that can only be read from front to back: tar, cpio, rpm, deb, compressed or not. The members are expanded one after the other;
// those that cannot hold device code are told by their first bytes and skipped.
#include "input/collection.hpp"
#include "input/libarchive.hpp"
#include "input/storage.hpp"
#include "input/tar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

namespace {

class Stream final : public Collection {
  public:
    Stream(std::shared_ptr<const ByteSource> source, std::string only_member, CollectionOptions options)
        : options_(std::move(options)), reader_(source, ByteView(*source), ArchiveReader::Formats::streams), stored_(source->size()),
          only_member_(std::move(only_member)) {}

    [[nodiscard]] const char* format() const override { return format_.c_str(); }
    [[nodiscard]] std::vector<Problem> problems() const override { return problems_; }
    [[nodiscard]] Position position() const override { return {reader_.consumed(), stored_}; }

    [[nodiscard]] std::optional<Entry> next() override {
        while (!ended_) {
            const auto more = reader_.next();
            if (!more) {
                return fail(more.error());
            }
            if (!*more) {
                if (auto end = reader_.check_end(); !end) {
                    return fail(end.error());
                }
                break;
            }
            format_ = reader_.format();
            if (reader_.is_raw() && !reader_.is_compressed()) {
                return fail({"CAG402", "expected a tar, cpio, rpm or deb archive as its first bytes say, found a damaged header", {}});
            }
            if (auto done = account(); !done) {
                return fail(done.error());
            }
            if (++members_ > options_.limits.max_entries) {
                return fail({"CAG404", fmt::format("more than {} members; the rest is not read", options_.limits.max_entries), {}});
            }
            const bool visible = !options_.visible || options_.visible(reader_.name());
            if (!visible || (!reader_.is_file() && !reader_.is_raw())) {
                continue;
            }
            if (auto entry = read_member()) {
                return entry;
            }
        }
        ended_ = true;
        return std::nullopt;
    }

  private:
    std::optional<Entry> fail(Problem problem) {
        problems_.push_back(std::move(problem));
        ended_ = true;
        return std::nullopt;
    }

    // What the decompression gave since the last call, of members that were passed over too.
    Result<void> account() {
        const std::uint64_t now = reader_.expanded();
        const std::uint64_t since = now - std::min(now, accounted_);
        accounted_ = now;
        return stored_ >= now ? Result<void>{} : options_.expansion->take(since);
    }

    // The member, where it is worth opening; nullopt also where the whole archive cannot be read on.
    std::optional<Entry> read_member() {
        Entry entry;
        entry.name = reader_.is_raw() ? only_member_ : reader_.name();
        Bytes head(content_head);
        const auto begun = reader_.read(head);
        if (!begun) {
            return broken(std::move(entry), begun.error());
        }
        head.resize(*begun);
        const std::uint64_t size = *begun < content_head ? *begun : std::max<std::uint64_t>(reader_.size(), *begun + 1);
        if (!recognise(entry, size, head, options_)) {
            return entry.problems.empty() ? std::nullopt : std::optional(std::move(entry));
        }
        const std::uint64_t memory = options_.memory_for_member();
        Storage storage(memory);
        for (Bytes block = std::move(head); !block.empty();) {
            if (auto kept = keep(storage, block); !kept) {
                return broken(std::move(entry), kept.error());
            }
            block.resize(std::size_t{256} << 10);
            const auto got = reader_.read(block);
            if (!got) {
                return broken(std::move(entry), got.error());
            }
            block.resize(*got);
        }
        entry.size = storage.size();
        entry.memory = entry.size <= memory ? entry.size : 0;
        entry.open = [source = storage.finish()]() -> Result<std::shared_ptr<const ByteSource>> { return source; };
        return entry;
    }

    Result<void> keep(Storage& storage, const Bytes& block) {
        options_.tell_expanded(block.size());
        if (auto done = account(); !done) {
            return done;
        }
        if (storage.size() + block.size() > options_.limits.max_member) {
            return failure("CAG404", fmt::format("the member expands to more than {} bytes; if it is trusted, raise --max-member",
                                                 options_.limits.max_member));
        }
        return storage.append(block);
    }

    // Bytes behind the damage cannot be found again in a stream.
    std::optional<Entry> broken(Entry entry, Problem problem) {
        ended_ = true;
        entry.problems.push_back(std::move(problem));
        entry.content = Content::code;
        return entry;
    }

    CollectionOptions options_;
    ArchiveReader reader_;
    std::uint64_t stored_;
    std::string only_member_;
    std::string format_ = "archive";
    std::vector<Problem> problems_;
    std::uint64_t accounted_ = 0;
    std::uint32_t members_ = 0;
    bool ended_ = false;
};

// `docker save | gzip`: to be read by layers, the archive must be at hand as a whole.
bool may_be_image(const std::shared_ptr<const ByteSource>& source) {
    ArchiveReader reader(source, ByteView(*source), ArchiveReader::Formats::streams);
    const auto first = reader.next();
    if (!first || !*first || !reader.is_compressed()) {
        return false;
    }
    const std::string name = reader.name();
    constexpr std::size_t digest = 64;
    return name.starts_with("blobs/") || name == "oci-layout" || name == "index.json" || name == "manifest.json" ||
           name == "repositories" || (name.size() > digest && name.find_first_not_of("0123456789abcdef") >= digest);
}

Result<std::shared_ptr<const ByteSource>> decompressed(const std::shared_ptr<const ByteSource>& source, const CollectionOptions& options) {
    ArchiveReader reader(source, ByteView(*source), ArchiveReader::Formats::data);
    if (const auto begun = reader.next(); !begun) {
        return tl::unexpected(begun.error());
    }
    Storage storage(options.memory_for_member());
    for (Bytes block(std::size_t{256} << 10);;) {
        const auto got = reader.read(block);
        if (!got) {
            return tl::unexpected(got.error());
        }
        if (*got == 0) {
            return storage.finish();
        }
        options.tell_expanded(*got);
        const auto kept = options.expansion->take(*got).and_then([&] { return storage.append(std::span(block).first(*got)); });
        if (!kept) {
            return tl::unexpected(kept.error());
        }
    }
}

} // namespace

std::unique_ptr<Collection> open_stream(std::shared_ptr<const ByteSource> source, const std::string& name,
                                        const CollectionOptions& options) {
    if (auto tar = open_plain_tar(source, options)) {
        return tar;
    }
    if (may_be_image(source)) {
        if (const auto whole = decompressed(source, options)) { // else the stream says what is wrong
            if (auto tar = open_plain_tar(*whole, options)) {
                return tar;
            }
        }
    }
    return std::make_unique<Stream>(std::move(source), name, options);
}

} // namespace cag
