#include "input/walk.hpp"

#include "input/file.hpp"
#include "input/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cag {

// A collection that is being read, and what stands in front of its entries' names.
struct InputWalk::Level {
    std::unique_ptr<Collection> collection;
    std::string path;
    std::optional<std::string> member;
    unsigned depth = 0; // archives around the entries; 0 in a folder
    std::shared_ptr<Expansion> expansion;
    bool is_folder = false;
};

namespace {

bool is_directory(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// A folder's is known once it is listed.
std::optional<std::uint64_t> size_of(const std::string& path) {
    struct stat status {};
    return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)
               ? std::optional(static_cast<std::uint64_t>(status.st_size))
               : std::nullopt;
}

// Standard input, where it is not a file: kept, since formats have their tables at the end.
Result<std::shared_ptr<const ByteSource>> read_standard_input(const Limits& limits) {
    Storage storage(limits.max_memory / 32);
    Bytes block(std::size_t{256} << 10);
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failure("CAG408", fmt::format("cannot read standard input: {}", std::generic_category().message(errno)));
        }
        if (got == 0) {
            return storage.finish();
        }
        if (storage.size() + static_cast<std::uint64_t>(got) > limits.max_member) {
            return failure("CAG404", fmt::format("standard input has more than {} bytes; raise --max-member", limits.max_member));
        }
        if (auto kept = storage.append(std::span(block).first(static_cast<std::size_t>(got))); !kept) {
            return tl::unexpected(kept.error());
        }
    }
}

Entry standard_input(const CollectionOptions& options) {
    Entry entry;
    entry.name = "-";
    auto source = read_standard_input(options.limits);
    if (!source) {
        entry.problems.push_back(source.error());
        return entry;
    }
    entry.size = (*source)->size();
    const auto head = ByteView(**source).sub(0, std::min<std::uint64_t>(entry.size, content_head), "input").and_then([](ByteView part) {
        return part.bytes(content_head, "input");
    });
    if (head) {
        options.classify(entry, entry.size, *head);
    } else {
        entry.problems.push_back(head.error());
    }
    entry.open = [source = *std::move(source)]() -> Result<std::shared_ptr<const ByteSource>> { return source; };
    return entry;
}

bool is_archive(const Entry& entry) { return entry.content == Content::zip || entry.content == Content::stream; }

// "a/b/lib.cubin.gz" -> "lib.cubin"
std::string stem(const std::string& name) { return std::filesystem::path(name).stem().string(); }

} // namespace

InputWalk::InputWalk(std::vector<std::string> paths, CollectionOptions options)
    : paths_(std::move(paths)), options_(std::move(options)), kinds_(paths_.size()) {
    std::ranges::transform(paths_, std::back_inserter(sizes_), size_of);
}

InputWalk::~InputWalk() = default;

std::optional<InputItem> InputWalk::next() {
    for (;;) {
        if (levels_.empty()) {
            if (argument_ == paths_.size()) {
                return std::nullopt;
            }
            if (auto item = begin_argument()) {
                return item;
            }
            continue;
        }
        Level& level = *levels_.back();
        auto entry = level.collection->next();
        if (levels_.size() == 1) {
            kinds_[argument_ - 1] = level.collection->format();
        }
        if (!entry) {
            InputItem self;
            self.argument = argument_ - 1;
            self.path = level.path;
            self.member = level.member;
            self.collection = level.collection->format();
            self.problems = level.collection->problems();
            levels_.pop_back();
            if (!self.problems.empty()) {
                return self;
            }
            continue;
        }
        std::string path = level.is_folder ? entry->name : level.path;
        std::optional<std::string> member;
        if (!level.is_folder) {
            member = level.member ? *level.member + "!" + entry->name : entry->name;
        }
        if (auto item = descend(*std::move(entry), std::move(path), std::move(member), level.depth, level.expansion)) {
            return item;
        }
    }
}

std::optional<InputItem> InputWalk::begin_argument() {
    const std::string& path = paths_[argument_++];
    if (path != "-" && is_directory(path)) {
        auto level = std::make_unique<Level>();
        level->path = path;
        level->collection = open_image_layout(path, options_);
        level->is_folder = level->collection == nullptr;
        if (level->is_folder) {
            level->collection = open_directory(path, options_);
        }
        kinds_[argument_ - 1] = level->collection->format();
        sizes_[argument_ - 1] = level->collection->position().total;
        levels_.push_back(std::move(level));
        return std::nullopt;
    }
    if (!is_read(argument_ - 1)) {
        return std::nullopt;
    }
    Entry entry = path == "-" ? standard_input(options_) : open_file(path, options_);
    if (entry.content == Content::nothing) {
        entry.content = Content::code; // named by the user: whatever it is, it is looked at
    }
    return descend(std::move(entry), path, std::nullopt, 0, nullptr);
}

Collection::Position InputWalk::position() const {
    Collection::Position position;
    const bool known = std::ranges::all_of(sizes_, &std::optional<std::uint64_t>::has_value);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        position.total += known ? *sizes_[i] : 0;
        position.passed += i < argument_ ? sizes_[i].value_or(0) : 0;
    }
    if (levels_.empty()) {
        return position;
    }
    // What is open is not passed yet: the path itself, and in a folder the archive that is being read.
    const auto take_back = [&](const Collection& collection) {
        const Collection::Position inner = collection.position();
        position.passed -= std::min(position.passed, inner.total - std::min(inner.total, inner.passed));
    };
    take_back(*levels_.front()->collection);
    if (levels_.front()->is_folder && levels_.size() > 1) {
        take_back(*levels_[1]->collection);
    }
    return position;
}

bool InputWalk::is_read(std::size_t argument) const {
    return !kinds_[argument].empty() || is_directory(paths_[argument]) || options_.shard.has(argument);
}

// An archive becomes a level of its own; everything else, and what is wrong with an archive before it is open, an item.
std::optional<InputItem> InputWalk::descend(Entry entry, std::string path, std::optional<std::string> member, unsigned depth,
                                            std::shared_ptr<Expansion> expansion) {
    if (is_archive(entry) && !entry.problems.empty()) {
        entry.open = nullptr;
    }
    if (!is_archive(entry) || !entry.problems.empty()) {
        return item_for(std::move(entry), std::move(path), std::move(member));
    }
    if (depth >= options_.limits.max_depth) {
        entry.open = nullptr;
        entry.problems.push_back(
            {"CAG404",
             fmt::format("archives are nested more than {} deep; the inner ones are not read (--max-depth)", options_.limits.max_depth),
             {}});
        return item_for(std::move(entry), std::move(path), std::move(member));
    }
    auto source = entry.open();
    if (!source) {
        entry.problems.push_back(source.error());
        return item_for(std::move(entry), std::move(path), std::move(member));
    }
    CollectionOptions options = options_;
    options.expansion = expansion ? std::move(expansion) : std::make_shared<Expansion>((*source)->size(), options_.limits);
    auto level = std::make_unique<Level>();
    level->collection = entry.content == Content::zip ? open_zip(*std::move(source), options)
                                                      : open_stream(*std::move(source), stem(member.value_or(path)), options);
    level->path = std::move(path);
    level->member = std::move(member);
    level->depth = depth + 1;
    level->expansion = options.expansion;
    levels_.push_back(std::move(level));
    return std::nullopt;
}

InputItem InputWalk::item_for(Entry entry, std::string path, std::optional<std::string> member) const {
    InputItem item;
    item.argument = argument_ - 1;
    item.path = std::move(path);
    item.member = std::move(member);
    item.origin = std::move(entry.origin);
    item.is_known = entry.content == Content::known;
    item.is_text = entry.content == Content::text;
    item.size = entry.size;
    item.memory = entry.memory;
    item.open = std::move(entry.open);
    item.problems = std::move(entry.problems);
    return item;
}

} // namespace cag
