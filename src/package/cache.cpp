#include "package/cache.hpp"

#include "input/file.hpp"
#include "package/serial.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace cag {

namespace {

constexpr std::time_t settled = 2; // seconds since the last change: coarser clocks could hide another one

// An older layout has other names, so that it is left alone.
constexpr const char* layout = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                               "CREATE TABLE IF NOT EXISTS secret (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB);"
                               "CREATE TABLE IF NOT EXISTS contents (identity BLOB PRIMARY KEY, content BLOB) WITHOUT ROWID;"
                               "CREATE TABLE IF NOT EXISTS results (content BLOB, kind BLOB, result BLOB, seal BLOB,"
                               " PRIMARY KEY (content, kind)) WITHOUT ROWID;";

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepare(sqlite3* database, const char* text, const std::vector<std::string_view>& values = {}) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, text, -1, &statement, nullptr);
    for (int place = 0; place < static_cast<int>(values.size()); ++place) {
        const std::string_view value = values[static_cast<std::size_t>(place)];
        sqlite3_bind_blob64(statement, place + 1, value.data(), value.size(), SQLITE_TRANSIENT);
    }
    return {statement, sqlite3_finalize};
}

std::string_view column(const Statement& row, int index) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row.get(), index));
    return {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(row.get(), index))};
}

// nullopt: the file is not there, or changed so lately that another change might not show.
std::optional<std::string> identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || std::time(nullptr) - status.st_ctim.tv_sec < settled) {
        return std::nullopt;
    }
    return fmt::format("{}:{}:{}:{}.{}:{}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                       status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

std::string key_of(const Fingerprint& content) { return fmt::format("{:016x}{:016x}:{}", content.high, content.low, content.size); }

std::optional<Fingerprint> fingerprint_from(std::string_view key) {
    const std::string text(key);
    Fingerprint content;
    const int fields =
        std::sscanf(text.c_str(), "%16" SCNx64 "%16" SCNx64 ":%" SCNu64, &content.high, &content.low, &content.size); // NOLINT
    return fields == 3 ? std::optional(content) : std::nullopt;
}

// What a thin archive holds lies in other files.
bool is_thin_archive(const ByteSource& source) {
    const auto magic = ByteView(source).read<std::array<char, 8>>(0, "magic");
    return magic && std::string_view(magic->data(), magic->size()) == "!<thin>\n";
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

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

Result<std::string> secret_of(sqlite3* database) {
    const std::string fresh = Fingerprinter().secret();
    sqlite3_step(prepare(database, "INSERT OR IGNORE INTO secret VALUES (1, ?)", {fresh}).get());
    const Statement query = prepare(database, "SELECT bytes FROM secret");
    if (sqlite3_step(query.get()) != SQLITE_ROW || column(query, 0).size() != Fingerprinter::secret_size) {
        return failure("CAG408", "its secret is not there");
    }
    return std::string(column(query, 0));
}

} // namespace

Result<std::unique_ptr<ScanCache>> ScanCache::open(const std::string& path, std::string kind) {
    std::error_code error;
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && std::filesystem::create_directories(folder, error)) {
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
    if (!is_private(path)) {
        return failure("CAG408",
                       fmt::format("expected the cache {} to be a file that only you can read and write (mode 600), found another; "
                                   "delete it, or name another by --cache-file",
                                   path));
    }
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nullptr);
    sqlite3_busy_timeout(database, 2000);
    const bool usable = opened == SQLITE_OK && sqlite3_exec(database, layout, nullptr, nullptr, nullptr) == SQLITE_OK;
    const std::string reason = usable ? "" : sqlite3_errmsg(database);
    const Result<std::string> secret = usable ? secret_of(database) : failure("CAG408", reason);
    if (!secret) {
        sqlite3_close(database);
        return failure("CAG408", fmt::format("the cache {} cannot be used: {}; delete it, or name another by --cache-file", path,
                                             secret.error().message));
    }
    return std::unique_ptr<ScanCache>(new ScanCache(database, std::move(kind), *secret));
}

ScanCache::~ScanCache() { sqlite3_close(database_); }

std::optional<Fingerprint> ScanCache::content_of(const std::string& identity) {
    const std::scoped_lock lock(mutex_);
    const Statement query = prepare(database_, "SELECT content FROM contents WHERE identity = ?", {identity});
    return sqlite3_step(query.get()) == SQLITE_ROW ? fingerprint_from(column(query, 0)) : std::nullopt;
}

std::optional<Coverage> ScanCache::result_of(const Fingerprint& content) {
    std::string result;
    std::string seal;
    {
        const std::scoped_lock lock(mutex_);
        const Statement query =
            prepare(database_, "SELECT result, seal FROM results WHERE content = ? AND kind = ?", {key_of(content), kind_});
        if (sqlite3_step(query.get()) != SQLITE_ROW) {
            return std::nullopt;
        }
        result = column(query, 0);
        seal = column(query, 1);
    }
    // Several threads ask; reading what was kept is the longer part.
    return seal == seal_of(content, result) ? coverage_from_bytes(result) : std::nullopt;
}

std::string ScanCache::seal_of(const Fingerprint& content, std::string_view result) const {
    const std::string sealed = fmt::format("{} {} {}", key_of(content), kind_, result);
    return key_of(fingerprinter_.of(std::as_bytes(std::span(sealed))));
}

std::optional<Coverage> ScanCache::get(const std::string& path) {
    const auto identity = identity_of(path);
    if (!identity) {
        return std::nullopt;
    }
    Asked asked{*identity, {}, false, false};
    auto content = content_of(*identity);
    asked.has_identity = content.has_value();
    if (!content) {
        const auto file = FileSource::open(path);
        const auto hashed = !file || is_thin_archive(**file) ? Result<Fingerprint>(failure("CAG408", "")) : fingerprinter_.of(**file);
        if (!hashed) {
            return std::nullopt;
        }
        content = *hashed;
    }
    asked.content = *content;
    auto known = result_of(*content);
    // The only member of a compressed file is named by the file. Everything else has its name from the content.
    if (known && std::ranges::any_of(known->files,
                                     [&](const FileCoverage& file) { return file.member && last_part(file.path) != last_part(path); })) {
        return std::nullopt;
    }
    asked.has_result = known.has_value();
    if (known) {
        std::ranges::for_each(known->files, [&](FileCoverage& file) { file.path = path; });
        std::ranges::for_each(known->texts, [&](TextFile& text) { text.path = path; });
    }
    const std::scoped_lock lock(mutex_);
    asked_[path] = std::move(asked);
    return known;
}

void ScanCache::put(const Coverage& coverage) {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, Coverage> fresh;
    for (const auto& [path, asked] : asked_) {
        if (!asked.has_result) {
            fresh[path];
        }
    }
    for (const FileCoverage& file : coverage.files) {
        if (const auto found = fresh.find(file.path); found != fresh.end()) {
            found->second.files.push_back(file);
        }
    }
    for (const TextFile& text : coverage.texts) {
        if (const auto found = fresh.find(text.path); found != fresh.end()) {
            found->second.texts.push_back(text);
        }
    }
    sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    for (const auto& [path, asked] : asked_) {
        if ((asked.has_identity && asked.has_result) || identity_of(path) != asked.identity) {
            continue;
        }
        const std::string key = key_of(asked.content);
        const auto result = fresh.find(path);
        if (result != fresh.end() && std::ranges::all_of(result->second.files, [](const FileCoverage& f) { return f.problems.empty(); })) {
            const std::string bytes = to_bytes(result->second);
            const std::string seal = seal_of(asked.content, bytes);
            sqlite3_step(prepare(database_, "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", {key, kind_, bytes, seal}).get());
        }
        // What is not kept, because another process holds the file for too long, is read again.
        sqlite3_step(prepare(database_, "INSERT OR REPLACE INTO contents VALUES (?, ?)", {asked.identity, key}).get());
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
