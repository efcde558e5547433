#include "input/tar.hpp"

#include "input/layers.hpp"
#include "input/libarchive.hpp"
#include "support/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::uint64_t block = 512;
constexpr std::size_t chunk = 256; // members whose first bytes are looked at together

class Tar final : public Collection {
  public:
    Tar(std::shared_ptr<const ByteSource> source, TarIndex index, CollectionOptions options)
        : source_(std::move(source)), index_(std::move(index)), options_(std::move(options)) {}

    [[nodiscard]] const char* format() const override { return "tar"; }
    [[nodiscard]] std::vector<Problem> problems() const override { return index_.problems; }
    [[nodiscard]] Position position() const override { return {passed_, source_->size()}; }

    [[nodiscard]] std::optional<Entry> next() override {
        for (;;) {
            while (given_ < looked_at_.size()) {
                passed_ = members_[given_]->offset + members_[given_]->size;
                Entry& entry = looked_at_[given_++];
                if (entry.content != Content::nothing || !entry.problems.empty()) {
                    return std::move(entry);
                }
            }
            if (begun_ == index_.members.size()) {
                return std::nullopt;
            }
            look_at_next();
        }
    }

  private:
    void look_at_next() {
        members_.clear();
        for (; begun_ < index_.members.size() && members_.size() < chunk; ++begun_) {
            const TarMember& member = index_.members[begun_];
            if ((!options_.visible || options_.visible(member.name)) && member.is_file && member.size != 0) {
                members_.push_back(&member);
            }
        }
        looked_at_.clear();
        looked_at_.resize(members_.size());
        given_ = 0;
        parallel_for(members_.size(), options_.threads, [&](std::size_t i) { looked_at_[i] = look_at(*members_[i]); });
    }

    [[nodiscard]] Entry look_at(const TarMember& member) const {
        Entry entry;
        entry.name = member.name;
        entry.size = member.size;
        const auto bytes = ByteView(*source_).sub(member.offset, member.size, "member");
        const auto head = bytes.and_then([&](ByteView part) {
            return part.sub(0, std::min<std::uint64_t>(content_head, member.size), "member")->bytes(content_head, "member");
        });
        if (!head) {
            entry.problems.push_back(head.error());
            return entry;
        }
        if (!recognise(entry, member.size, *head, options_)) {
            return entry;
        }
        entry.open = [source = source_, part = *bytes]() -> Result<std::shared_ptr<const ByteSource>> {
            return std::make_shared<PartSource>(source, part);
        };
        return entry;
    }

    std::shared_ptr<const ByteSource> source_;
    TarIndex index_;
    CollectionOptions options_;
    std::vector<const TarMember*> members_; // that are looked at together
    std::vector<Entry> looked_at_;          // one for each of them
    std::size_t given_ = 0;                 // of looked_at_
    std::size_t begun_ = 0;                 // of index_.members
    std::uint64_t passed_ = 0;
};

} // namespace

bool is_plain_tar(const ByteSource& source) {
    const auto magic = ByteView(source).read<std::array<char, 5>>(257, "tar magic");
    return magic && std::string_view(magic->data(), magic->size()) == "ustar";
}

std::optional<TarIndex> read_tar_index(const std::shared_ptr<const ByteSource>& source, const Limits& limits) {
    if (!is_plain_tar(*source)) {
        return std::nullopt;
    }
    TarIndex index;
    ArchiveReader reader(source, ByteView(*source), ArchiveReader::Formats::streams);
    for (;;) {
        const std::uint64_t header = reader.position();
        const auto more = reader.next();
        // Only where the next header begins is it known where the bytes before it lie: long names take headers of their own.
        const bool passed = more || reader.position() > header;
        if (passed && !index.members.empty()) {
            TarMember& last = index.members.back();
            const std::uint64_t padded = (last.size + block - 1) / block * block;
            last.offset = reader.position() - std::min(padded, reader.position());
        }
        if (!more) {
            index.problems.push_back(more.error());
            if (!passed && !index.members.empty()) {
                index.members.pop_back(); // its bytes are not whole
            }
            return index;
        }
        if (!*more) {
            if (auto end = reader.check_end(); !end) {
                index.problems.push_back(end.error());
            }
            return index;
        }
        if (reader.is_raw() || reader.is_sparse()) {
            return std::nullopt;
        }
        if (index.members.size() >= limits.max_entries) {
            index.problems.push_back(
                {"CAG404", fmt::format("more than {} members; the rest is not read (--max-entries)", limits.max_entries), {}});
            index.members.pop_back();
            return index;
        }
        index.members.push_back({reader.name(), 0, reader.is_file() ? reader.size() : 0, reader.is_file(), reader.link()});
    }
}

std::unique_ptr<Collection> open_plain_tar(const std::shared_ptr<const ByteSource>& source, const CollectionOptions& options) {
    auto index = read_tar_index(source, options.limits);
    if (!index) {
        return nullptr;
    }
    if (auto image = open_image_archive(source, *index, options)) {
        return image;
    }
    return std::make_unique<Tar>(source, *std::move(index), options);
}

} // namespace cag
