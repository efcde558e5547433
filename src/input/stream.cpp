// Archives that can only be read from front to back: tar, cpio, rpm, deb, compressed or not. The members are expanded one after the other;
// those that cannot hold device code are told by their first bytes and skipped.
#include "input/collection.hpp"
#include "input/libarchive.hpp"
#include "input/storage.hpp"

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

    [[nodiscard]] std::optional<Entry> next() override {
        while (!ended_) {
            const auto more = reader_.next();
            if (!more) {
                return fail(more.error());
            }
            if (!*more) {
                break;
            }
            format_ = reader_.format();
            if (reader_.is_raw() && !reader_.is_compressed()) {
                return fail({"CAG410", "expected a tar, cpio, rpm or deb archive as its first bytes say, found a damaged header", {}});
            }
            if (auto done = account(); !done) {
                return fail(done.error());
            }
            if (++members_ > options_.limits.max_entries) {
                return fail({"CAG404", fmt::format("more than {} members; the rest is not read", options_.limits.max_entries), {}});
            }
            if (!reader_.is_file() && !reader_.is_raw()) {
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
        entry.content = content_of(head, *begun < content_head, options_.may_hold_code);
        if (entry.content == Content::nothing) {
            return std::nullopt;
        }
        if (const std::string reason = unsafe_name(entry.name); !reason.empty()) {
            entry.problems.push_back({"CAG412", fmt::format("the member's name cannot be trusted: {}", reason), {}});
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

} // namespace

std::unique_ptr<Collection> open_stream(std::shared_ptr<const ByteSource> source, const std::string& name,
                                        const CollectionOptions& options) {
    return std::make_unique<Stream>(std::move(source), name, options);
}

} // namespace cag
