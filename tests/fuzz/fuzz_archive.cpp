// Archives, and the archives in them: zip and tar by our own readers, the others through libarchive. Every member that is given can be
// opened or says why not, and is as large as was said.
#include "fuzz.hpp"

#include "input/walk.hpp"

#include <sys/mman.h>
#include <unistd.h>

using namespace cag;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A file without a name: the walk begins with a path.
    const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
    CAG_REQUIRE(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
    CollectionOptions options;
    options.limits = fuzz::limits();
    options.limits.max_memory = std::uint64_t{4} << 20; // larger members go to a temporary file
    options.limits.max_member = std::uint64_t{1} << 20;
    options.may_hold_code = [](std::span<const std::byte>, bool) { return true; };
    InputWalk walk({"/proc/self/fd/" + std::to_string(file)}, options);
    while (const auto item = walk.next()) {
        for (const Problem& problem : item->problems) {
            CAG_REQUIRE(problem.code.starts_with("CAG4") && !problem.message.empty());
        }
        CAG_REQUIRE(item->open || !item->problems.empty());
        CAG_REQUIRE(item->memory <= item->size);
        const auto source = item->open ? item->open() : failure("CAG408", "not open");
        if (!source) {
            CAG_REQUIRE(source.error().code.starts_with("CAG4"));
            continue;
        }
        CAG_REQUIRE((*source)->size() == item->size);
        CAG_REQUIRE(!item->member || item->size <= options.limits.max_member || (*source)->size() <= size);
        CAG_REQUIRE(ByteView(**source).bytes(item->size, "member"));
    }
    ::close(file);
    return 0;
}
