// A folder with everything below it. Files come in the order of their names, links behind all files, so that a library is listed under its
// own name and the links to it (libx.so -> libx.so.1) add nothing. What several names lead to is read once, by device and inode.
#include "input/collection.hpp"
#include "input/file.hpp"
#include "support/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <system_error>

namespace cag {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t chunk = 256; // files whose first bytes are looked at together

std::string error_text(int error) { return std::generic_category().message(error); }

struct ListedFile {
    std::string path;
    std::uint64_t size = 0;
};

// The files of a tree, links followed.
class Listing {
  public:
    void add_tree(const std::string& root) {
        struct stat status {};
        if (::stat(root.c_str(), &status) == 0) {
            add_folder(root, status);
        }
        // Links may lead to folders with more links.
        for (std::size_t i = 0; i < links_.size(); ++i) {
            add_linked(std::string(links_[i]));
        }
    }

    std::vector<ListedFile> files;
    std::vector<Entry> unreadable;

  private:
    bool is_new(const struct stat& status) { return seen_.emplace(status.st_dev, status.st_ino).second; }

    void add_folder(const std::string& path, const struct stat& status) {
        if (!is_new(status)) {
            return;
        }
        std::error_code error;
        std::vector<std::string> names;
        for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
            names.push_back(at->path().filename().string());
        }
        if (error) {
            report(path, fmt::format("cannot list the folder: {}", error.message()));
        }
        std::ranges::sort(names);
        const std::string prefix = path.ends_with('/') ? path : path + '/';
        for (const std::string& name : names) {
            add(prefix + name);
        }
    }

    void add(std::string path) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0) {
            report(path, fmt::format("cannot look at the file: {}", error_text(errno)));
        } else if (S_ISLNK(status.st_mode)) {
            links_.push_back(std::move(path));
        } else {
            add_as(std::move(path), status);
        }
    }

    // A link to nothing is passed over: there are no bytes that could have been read.
    void add_linked(std::string path) {
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0) {
            add_as(std::move(path), status);
        } else if (errno != ENOENT) {
            report(path, fmt::format("cannot follow the link: {}", error_text(errno)));
        }
    }

    void add_as(std::string path, const struct stat& status) {
        if (S_ISDIR(status.st_mode)) {
            add_folder(path, status);
        } else if (!S_ISREG(status.st_mode)) {
            report(path, fmt::format("expected a regular file, found {}; it is not read", S_ISFIFO(status.st_mode)   ? "a fifo"
                                                                                          : S_ISSOCK(status.st_mode) ? "a socket"
                                                                                                                     : "a device"));
        } else if (is_new(status) && status.st_size > 0) {
            files.push_back({std::move(path), static_cast<std::uint64_t>(status.st_size)});
        }
    }

    void report(const std::string& path, std::string why) {
        Entry entry;
        entry.name = path;
        entry.problems.push_back({"CAG408", std::move(why), {}});
        unreadable.push_back(std::move(entry));
    }

    std::set<std::pair<dev_t, ino_t>> seen_;
    std::vector<std::string> links_;
};

class Directory final : public Collection {
  public:
    Directory(const std::string& path, CollectionOptions options) : options_(std::move(options)) {
        listing_.add_tree(path);
        keep_shard(listing_.files);
        keep_shard(listing_.unreadable);
        for (const ListedFile& file : listing_.files) {
            position_.total += file.size;
        }
    }

    [[nodiscard]] const char* format() const override { return "directory"; }
    [[nodiscard]] std::vector<Problem> problems() const override { return {}; }
    [[nodiscard]] Position position() const override { return position_; }

    [[nodiscard]] std::optional<Entry> next() override {
        for (;;) {
            while (given_ < looked_at_.size()) {
                position_.passed += listing_.files[begun_ - looked_at_.size() + given_].size;
                Entry& entry = looked_at_[given_++];
                if (entry.content != Content::nothing || !entry.problems.empty()) {
                    return std::move(entry);
                }
            }
            if (begun_ < listing_.files.size()) {
                look_at_next();
            } else if (reported_ < listing_.unreadable.size()) {
                return std::move(listing_.unreadable[reported_++]);
            } else {
                return std::nullopt;
            }
        }
    }

  private:
    template <class T>
    void keep_shard(std::vector<T>& all) const {
        std::vector<T> kept;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (options_.shard.has(i)) {
                kept.push_back(std::move(all[i]));
            }
        }
        all = std::move(kept);
    }

    void look_at_next() {
        const std::size_t first = begun_;
        begun_ = std::min(listing_.files.size(), begun_ + chunk);
        looked_at_.clear();
        looked_at_.resize(begun_ - first);
        given_ = 0;
        parallel_for(looked_at_.size(), options_.threads,
                     [&](std::size_t i) { looked_at_[i] = open_file(listing_.files[first + i].path, options_); });
    }

    CollectionOptions options_;
    Listing listing_;
    std::vector<Entry> looked_at_;
    std::size_t given_ = 0; // of looked_at_
    std::size_t begun_ = 0; // of listing_.files
    std::size_t reported_ = 0;
    Position position_;
};

// A zip archive may stand behind other bytes: what makes it one is the record at its end.
bool ends_like_zip(const ByteSource& source) {
    constexpr std::uint64_t end_record = 22;
    return source.size() > end_record &&
           ByteView(source).read<std::uint32_t>(source.size() - end_record, "end of the file").value_or(0) == 0x06054b50;
}

} // namespace

Entry open_file(const std::string& path, const CollectionOptions& options) {
    Entry entry;
    entry.name = path;
    const auto source = FileSource::open(path);
    if (!source) {
        entry.problems.push_back(source.error());
        return entry;
    }
    entry.size = (*source)->size();
    const auto head = ByteView(**source).sub(0, std::min<std::uint64_t>(entry.size, content_head), "file").and_then([](ByteView part) {
        return part.bytes(content_head, "file");
    });
    if (!head) {
        entry.problems.push_back(head.error());
        return entry;
    }
    options.classify(entry, entry.size, *head);
    if (entry.content == Content::nothing && ends_like_zip(**source)) {
        entry.content = Content::zip;
    }
    if (entry.content != Content::nothing && entry.content != Content::text && options.is_known && options.is_known(path)) {
        entry.content = Content::known;
        return entry;
    }
    // Opened again when its turn comes: a tree has more files than a process may have open.
    entry.open = [path]() -> Result<std::shared_ptr<const ByteSource>> {
        return FileSource::open(path).map(
            [](std::unique_ptr<FileSource> file) { return std::shared_ptr<const ByteSource>(std::move(file)); });
    };
    return entry;
}

std::unique_ptr<Collection> open_directory(const std::string& path, const CollectionOptions& options) {
    return std::make_unique<Directory>(path, options);
}

} // namespace cag
