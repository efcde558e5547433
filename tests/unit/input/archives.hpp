// Archives of every format in memory, a folder of its own for each test, and what a walk finds there.
#pragma once

#include "input/walk.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cag::test {

using Member = std::pair<std::string, std::string>; // name, content; "LINK target" makes a symbolic link

// Written by libarchive: "zip", "ustar", "pax", "gnutar", "newc" (cpio); filters "", "gzip", "bzip2", "xz", "zstd". Zip: "store",
// "deflate".
[[nodiscard]] std::string archive_of(const std::string& format, const std::vector<Member>& members, const std::string& filter = "");

// A zip archive byte by byte, so that each field can lie. Members are deflated.
struct ZipLies {
    std::uint32_t crc_off_by = 0;
    std::uint32_t size_off_by = 0;
    std::uint16_t flags = 0;
    std::string local_name; // "": the name
};
[[nodiscard]] std::string zip_of(const std::vector<Member>& members, const ZipLies& lies = {});

// Gone at the end of the test.
class Folder {
  public:
    Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    // Also makes the folders that lead there.
    std::string write(const std::string& name, const std::string& content) const;
    [[nodiscard]] std::string path(const std::string& name = "") const { return name.empty() ? path_.string() : (path_ / name).string(); }
    // Every name below, relative.
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    std::filesystem::path path_;
};

// Files that begin with CODE are what the walk looks for in these tests.
[[nodiscard]] CollectionOptions options_for_tests();

struct Seen {
    std::vector<Member> files;             // "path!member" without the folder, and their bytes
    std::vector<std::string> problems;     // "CAG404 name"
    std::vector<std::string> messages;     // of the problems
    std::vector<std::string> origins;      // of the files
    std::vector<Collection::Position> way; // after each item
};
[[nodiscard]] Seen walk(const Folder& folder, const std::vector<std::string>& names,
                        const CollectionOptions& options = options_for_tests());

} // namespace cag::test
