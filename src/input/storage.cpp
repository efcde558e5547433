#include "input/storage.hpp"

#include "input/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace cag {

namespace {

std::string temporary_folder() {
    const char* folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Problem no_room(const std::string& folder, int error) {
    return {
        "CAG408",
        fmt::format("cannot keep the expanded bytes in a temporary file in {}: {}; set TMPDIR to a folder with room, or raise --max-memory",
                    folder, std::generic_category().message(error)),
        {}};
}

// O_TMPFILE where the file system has it; else a file whose name is removed at once.
int open_nameless(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
        return file;
    }
    std::string name = folder + "/cuda-arch-guard-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

} // namespace

Storage::~Storage() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

Result<void> Storage::append(std::span<const std::byte> bytes) {
    if (file_ < 0 && bytes.size() <= memory_ - std::min<std::uint64_t>(memory_, bytes_.size())) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        size_ += bytes.size();
        return {};
    }
    if (file_ < 0) {
        const std::string folder = temporary_folder();
        file_ = open_nameless(folder);
        if (file_ < 0) {
            return tl::unexpected(no_room(folder, errno));
        }
        if (auto moved = write(bytes_); !moved) {
            return moved;
        }
        bytes_ = {};
    }
    size_ += bytes.size();
    return write(bytes);
}

Result<void> Storage::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t done = ::write(file_, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return tl::unexpected(no_room(temporary_folder(), errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

std::shared_ptr<const ByteSource> Storage::finish() {
    if (file_ < 0) {
        return std::make_shared<OwnedSource>(std::move(bytes_));
    }
    const int file = std::exchange(file_, -1);
    return std::make_shared<FileSource>(file, size_);
}

} // namespace cag
