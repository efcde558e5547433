// Anything that holds files: a folder, a zip archive, a tar stream. It gives its entries one after the other, in an order that depends on
// nothing but its content.
#pragma once

#include "input/content.hpp"
#include "support/limits.hpp"
#include "support/shard.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cag {

struct Entry {
    std::string name; // in the collection; of a folder's entry the path
    Content content = Content::nothing;
    std::uint64_t size = 0;   // bytes once opened
    std::uint64_t memory = 0; // of them kept in memory while it is open
    // Expands the bytes where that is needed. Called once, from any thread.
    std::function<Result<std::shared_ptr<const ByteSource>>()> open;
    std::string origin;            // of a container image's file: the layer it comes from, and whether that is the base's
    std::vector<Problem> problems; // where there are any, `open` may be empty
};

class Collection {
  public:
    Collection() = default;
    Collection(const Collection&) = delete;
    Collection& operator=(const Collection&) = delete;
    virtual ~Collection() = default;

    [[nodiscard]] virtual const char* format() const = 0; // "zip", "tar.gz", "directory"
    // The next entry that may hold device code, is a collection itself, or could not be read. Others are passed over.
    [[nodiscard]] virtual std::optional<Entry> next() = 0;
    // What is wrong with the collection as a whole; complete once next() has given its last entry.
    [[nodiscard]] virtual std::vector<Problem> problems() const = 0;

    // How far the reading has come, in the collection's own bytes: those of an archive are the compressed ones.
    struct Position {
        std::uint64_t passed = 0; // up to the end of the entry that was given last
        std::uint64_t total = 0;
    };
    [[nodiscard]] virtual Position position() const = 0;
};

// How much one outermost archive may expand to, with all that lies in it: nested bombs stay small in each step.
class Expansion {
  public:
    Expansion(std::uint64_t stored, const Limits& limits);
    // Counts bytes that were, or are about to be, expanded. Failure CAG404.
    [[nodiscard]] Result<void> take(std::uint64_t bytes);

  private:
    std::uint64_t limit_;
    std::uint64_t ratio_;
    std::atomic<std::uint64_t> taken_{0};
};

struct CollectionOptions {
    Limits limits;
    unsigned threads = 1;
    MayHoldCode may_hold_code;
    Shard shard;                                             // of the files on disk
    std::function<bool(const std::string& path)> is_known;   // files on disk that need not be opened
    std::function<bool(const std::string& name)> wants_text; // files to be given although they hold no device code
    std::function<bool(const std::string& name)> visible;    // asked for every member, links and empty files too; false: it is passed over
    std::function<void(std::uint64_t bytes)> expanded;       // told of the parts of large members, by the thread that expands them
    std::shared_ptr<Expansion> expansion;                    // of the archive that the collection is, or lies in

    // Says by the first bytes of a file or member what it is. An archive that cannot be read is a problem of its own (CAG408).
    void classify(Entry& entry, std::uint64_t size, std::span<const std::byte> head) const;

    void tell_expanded(std::uint64_t bytes) const {
        if (expanded) {
            expanded(bytes);
        }
    }

    // A single member larger than this goes to a temporary file.
    [[nodiscard]] std::uint64_t memory_for_member() const { return limits.max_memory / 32; }
};

// One regular file.
[[nodiscard]] Entry open_file(const std::string& path, const CollectionOptions& options);

[[nodiscard]] std::unique_ptr<Collection> open_directory(const std::string& path, const CollectionOptions& options);
// A folder in the OCI image layout; empty where it is none.
[[nodiscard]] std::unique_ptr<Collection> open_image_layout(const std::string& path, const CollectionOptions& options);
[[nodiscard]] std::unique_ptr<Collection> open_zip(std::shared_ptr<const ByteSource> source, const CollectionOptions& options);
// Tar archives of container images (docker save, OCI) give the files that a container sees. `name` is given to the only member of data that
// is compressed and holds no archive.
[[nodiscard]] std::unique_ptr<Collection> open_stream(std::shared_ptr<const ByteSource> source, const std::string& name,
                                                      const CollectionOptions& options);

// What stands in the way of a member's name being used as a path: nothing is ever written there, but such names are made to attack those
// who unpack. Empty where the name is fine.
[[nodiscard]] std::string unsafe_name(const std::string& name);
// Says by a member's first bytes what it is; its name is checked where it is given to anybody (CAG412; it is read all the same). False
// where it is nothing to read: then problems, where there are any, are all that there is to say. `size` is that of the whole member.
[[nodiscard]] bool recognise(Entry& entry, std::uint64_t size, std::span<const std::byte> head, const CollectionOptions& options);

} // namespace cag
