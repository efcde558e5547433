// What was read before, by the identity of each file: device, inode, size, and the times of its last change of content and of status, in
// nanoseconds. Whoever changes a byte changes the last of these, which only the system sets; hashing gigabytes would take longer than
// reading them. A file that changed while it was read, or just before, is not kept.
//
// A cache is one SQLite file of the user, which other users can neither read nor write; else it is not used. It may be used by several
// processes at a time, and deleted at any time.
#pragma once

#include "support/result.hpp"

#include <cudaarchguard/coverage.hpp>

#include <map>
#include <memory>
#include <string>

struct sqlite3;

namespace cag {

class ScanCache {
  public:
    // `kind` names everything else that the result depends on: the program's version, the depth of reading, the limits.
    // Failure CAG510: the file cannot be used.
    [[nodiscard]] static Result<std::unique_ptr<ScanCache>> open(const std::string& path, std::string kind);
    ~ScanCache();
    ScanCache(const ScanCache&) = delete;
    ScanCache& operator=(const ScanCache&) = delete;

    // What is known of the file as it is now; remembers its identity for put().
    [[nodiscard]] std::optional<std::vector<FileCoverage>> get(const std::string& path);
    // Keeps what was read since get(), of all files without problems.
    void put(const std::vector<FileCoverage>& files);

    // ~/.cache/cuda-arch-guard/scans.sqlite, or in XDG_CACHE_HOME; "" where there is no home.
    [[nodiscard]] static std::string usual_path();

  private:
    ScanCache(sqlite3* database, std::string kind) : database_(database), kind_(std::move(kind)) {}

    sqlite3* database_;
    std::string kind_;
    std::map<std::string, std::string> identities_; // of the files that were not known, by path
};

} // namespace cag
