// All files and archive members below the paths that were asked for, in a stable order: the one place where the program goes from paths to
// bytes. Folders, wheels, tar archives, packages and what is nested in them look alike to what follows.
#pragma once

#include "input/collection.hpp"

namespace cag {

struct InputItem {
    std::size_t argument = 0;          // index of the path that was asked for
    std::string path;                  // of the file on disk
    std::optional<std::string> member; // in it, "outer!inner" where archives are nested
    std::string collection;            // "zip": the item is that archive itself, which has problems to report
    std::string origin;                // the layer of a container image
    bool is_known = false;             // read before: there is nothing to open
    bool is_text = false;              // asked for by its name, and no device code
    std::uint64_t size = 0;
    std::uint64_t memory = 0;                                        // bytes that are in memory while the source is
    std::function<Result<std::shared_ptr<const ByteSource>>()> open; // empty where there is nothing but problems
    std::vector<Problem> problems;
};

class InputWalk {
  public:
    // Paths are files, folders and "-" for standard input.
    InputWalk(std::vector<std::string> paths, CollectionOptions options);
    ~InputWalk();

    [[nodiscard]] std::optional<InputItem> next();
    // What the path turned out to be ("directory", "zip", "tar.gz"), for the message that nothing was in there; "" for plain files.
    [[nodiscard]] const std::string& kind_of(std::size_t argument) const { return kinds_[argument]; }

    // How far the walk has come, in bytes on disk; a total of 0 where it is not known yet.
    [[nodiscard]] Collection::Position position() const;

    // False where the path is a file of another shard.
    [[nodiscard]] bool is_read(std::size_t argument) const;

  private:
    struct Level;

    [[nodiscard]] std::optional<InputItem> begin_argument();
    [[nodiscard]] std::optional<InputItem> descend(Entry entry, std::string path, std::optional<std::string> member, unsigned depth,
                                                   std::shared_ptr<Expansion> expansion);
    [[nodiscard]] InputItem item_for(Entry entry, std::string path, std::optional<std::string> member) const;

    std::vector<std::string> paths_;
    CollectionOptions options_;
    std::vector<std::string> kinds_;
    std::vector<std::optional<std::uint64_t>> sizes_; // of the paths, where they are known
    std::vector<std::unique_ptr<Level>> levels_;
    std::size_t argument_ = 0; // the next one to begin
};

} // namespace cag
