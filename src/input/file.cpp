#include "input/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cag {

namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

} // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
    // Non-blocking: opening a fifo that nobody writes to would wait for ever.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (descriptor < 0) {
        return failure("CAG408", fmt::format("cannot open the file: {}", error_text(errno)));
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        const char* found = S_ISDIR(status.st_mode) ? "a directory" : "a device, fifo or socket";
        ::close(descriptor);
        return failure("CAG408", fmt::format("expected a regular file, found {}; name the files in it", found));
    }
    return std::unique_ptr<FileSource>(new FileSource(descriptor, static_cast<std::uint64_t>(status.st_size)));
}

FileSource::~FileSource() { ::close(descriptor_); }

Result<void> FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failure("CAG408", fmt::format("cannot read {} bytes: {}", out.size(), error_text(errno)), offset);
        }
        if (got == 0) {
            return failure("CAG408", "the file ended early: it became shorter while it was read", offset);
        }
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

} // namespace cag
