#include "package/cache.hpp"

#include "package/serial.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace cag {

namespace {

constexpr std::time_t settled = 2; // seconds since the last change: coarser clocks could hide another one

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepare(sqlite3* database, const char* text) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, text, -1, &statement, nullptr);
    return {statement, sqlite3_finalize};
}

void bind_blob(const Statement& statement, int place, const std::string& bytes) {
    sqlite3_bind_blob64(statement.get(), place, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

std::optional<std::string> identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || std::time(nullptr) - status.st_ctim.tv_sec < settled) {
        return std::nullopt;
    }
    return fmt::format("{}:{}:{}:{}.{}:{}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                       status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

// Made here, or somebody's before: it must be ours alone.
bool is_private(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600); // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (file < 0) {
        return false;
    }
    struct stat status {};
    const bool ours = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
    ::close(file);
    return ours;
}

} // namespace

Result<std::unique_ptr<ScanCache>> ScanCache::open(const std::string& path, std::string kind) {
    std::error_code error;
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && std::filesystem::create_directories(folder, error)) {
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
    if (!is_private(path)) {
        return failure("CAG510",
                       fmt::format("expected the cache {} to be a file that only you can read and write (mode 600), found another; "
                                   "delete it, or name another by --cache-file",
                                   path));
    }
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nullptr);
    sqlite3_busy_timeout(database, 2000);
    const char* layout =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE IF NOT EXISTS scans (identity BLOB, kind BLOB, files BLOB, PRIMARY KEY (identity, kind)) WITHOUT ROWID;";
    if (opened != SQLITE_OK || sqlite3_exec(database, layout, nullptr, nullptr, nullptr) != SQLITE_OK) {
        const std::string reason = sqlite3_errmsg(database);
        sqlite3_close(database);
        return failure("CAG510", fmt::format("the cache {} cannot be used: {}; delete it, or name another by --cache-file", path, reason));
    }
    return std::unique_ptr<ScanCache>(new ScanCache(database, std::move(kind)));
}

ScanCache::~ScanCache() { sqlite3_close(database_); }

std::optional<std::vector<FileCoverage>> ScanCache::get(const std::string& path) {
    const auto identity = identity_of(path);
    if (!identity) {
        return std::nullopt;
    }
    const Statement query = prepare(database_, "SELECT files FROM scans WHERE identity = ? AND kind = ?");
    bind_blob(query, 1, *identity);
    bind_blob(query, 2, kind_);
    if (sqlite3_step(query.get()) == SQLITE_ROW) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(query.get(), 0));
        auto files = files_from_bytes({bytes, static_cast<std::size_t>(sqlite3_column_bytes(query.get(), 0))});
        if (files) {
            for (FileCoverage& file : *files) { // it may have another name now
                file.path = path;
            }
            return files;
        }
    }
    identities_[path] = *identity;
    return std::nullopt;
}

void ScanCache::put(const std::vector<FileCoverage>& files) {
    std::map<std::string, std::vector<FileCoverage>> by_path;
    for (const FileCoverage& file : files) {
        if (identities_.contains(file.path)) {
            by_path[file.path].push_back(file);
        }
    }
    sqlite3_exec(database_, "BEGIN", nullptr, nullptr, nullptr);
    for (const auto& [path, of_path] : by_path) {
        const bool clean = std::ranges::all_of(of_path, [](const FileCoverage& file) { return file.problems.empty(); });
        if (!clean || identity_of(path) != identities_[path]) {
            continue;
        }
        const Statement insert = prepare(database_, "INSERT OR REPLACE INTO scans VALUES (?, ?, ?)");
        bind_blob(insert, 1, identities_[path]);
        bind_blob(insert, 2, kind_);
        bind_blob(insert, 3, to_bytes(of_path));
        sqlite3_step(insert.get()); // what is not kept is read again
    }
    sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr);
}

std::string ScanCache::usual_path() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache == '/') {
        return std::string(cache) + "/cuda-arch-guard/scans.sqlite";
    }
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/cuda-arch-guard/scans.sqlite" : "";
}

} // namespace cag
