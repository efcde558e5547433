// What was read before, by content. Two steps, so that a second scan neither reads nor hashes anything:
//
//   identity of the file -> fingerprint of its content -> what was read
//
// The identity is device, inode, size, and the times of the last change of content and of status in nanoseconds. Whoever changes a byte
// changes the last of these, which only the system sets. A file with another identity (a copy, another environment, a fresh download) is
// hashed; only content that was never seen is scanned. A file that changed while it was read, or just before, is not kept.
//
// A cache is one SQLite file of the user, which other users can neither read nor write; else it is not used. Fingerprints are keyed by a
// secret in it, so that no file can be made to be taken for another, and each result is sealed with it: a damaged one is read again. It may
// be used by several processes at a time, and deleted at any time.
#pragma once

#include "support/fingerprint.hpp"

#include <cudaarchguard/coverage.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>

struct sqlite3;

namespace cag {

class ScanCache {
  public:
    // `kind` names everything else that the result depends on: the program's version, the depth of reading, the limits.
    // Failure CAG408: the file cannot be used.
    [[nodiscard]] static Result<std::unique_ptr<ScanCache>> open(const std::string& path, std::string kind);
    ~ScanCache();
    ScanCache(const ScanCache&) = delete;
    ScanCache& operator=(const ScanCache&) = delete;

    // What is known of the file's content as it is now; remembers the file for put(). Called by several threads.
    [[nodiscard]] std::optional<Coverage> get(const std::string& path);
    // Keeps what was read of the files that get() was asked for, where nothing was wrong with them.
    void put(const Coverage& coverage);

    // ~/.cache/cuda-arch-guard/scans.sqlite, or in XDG_CACHE_HOME; "" where there is no home.
    [[nodiscard]] static std::string usual_path();

  private:
    struct Asked {
        std::string identity;
        Fingerprint content;
        bool has_identity = false; // the identity is in the cache
        bool has_result = false;
    };

    ScanCache(sqlite3* database, std::string kind, std::string secret)
        : database_(database), kind_(std::move(kind)), fingerprinter_(std::move(secret)) {}

    [[nodiscard]] std::optional<Fingerprint> content_of(const std::string& identity);
    [[nodiscard]] std::optional<Coverage> result_of(const Fingerprint& content);
    [[nodiscard]] std::string seal_of(const Fingerprint& content, std::string_view result) const;

    sqlite3* database_;
    std::string kind_;
    Fingerprinter fingerprinter_;
    std::mutex mutex_;                   // of what follows, and of the database
    std::map<std::string, Asked> asked_; // by path
};

} // namespace cag
