// Folders: what is read once, what is followed, and what is no file.
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

using namespace cag;
using namespace cag::test;

namespace fs = std::filesystem;

TEST_CASE("files in the order of their names, links behind them, what several names lead to once") {
    const Folder folder;
    folder.write("d/lib/libx.so.1", "CODE x");
    folder.write("d/bin/prog", "CODE prog");
    folder.write("d/lib/notes", "text");
    folder.write("d/empty.so", "");
    folder.write("elsewhere/y.so", "CODE y");
    fs::create_symlink("libx.so.1", folder.path("d/lib/liba.so"));
    fs::create_hard_link(folder.path("d/lib/libx.so.1"), folder.path("d/lib/libz.so"));
    fs::create_symlink("..", folder.path("d/lib/loop"));
    fs::create_symlink("../elsewhere", folder.path("d/more"));
    fs::create_symlink("nothing", folder.path("d/dangling.so"));
    const Seen seen = walk(folder, {"d"});
    CHECK(seen.files == std::vector<Member>{{"d/bin/prog", "CODE prog"}, {"d/lib/libx.so.1", "CODE x"}, {"d/more/y.so", "CODE y"}});
    CHECK(seen.problems.empty());
}

TEST_CASE("what is no file is said and not opened") {
    const Folder folder;
    folder.write("d/a.so", "CODE");
    REQUIRE(::mkfifo(folder.path("d/fifo").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder.path("d/zero")); // a device, which would never end
    fs::create_symlink("self", folder.path("d/self"));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = folder.path("d/socket");
    REQUIRE(name.size() < sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const Seen seen = walk(folder, {"d"});
    ::close(socket);
    CHECK(seen.files.size() == 1);
    CHECK(seen.problems == std::vector<std::string>{"CAG408 d/fifo", "CAG408 d/socket", "CAG408 d/self", "CAG408 d/zero"});
    CHECK(seen.messages[0].find("a fifo") != std::string::npos);
    CHECK(seen.messages[3].find("a device") != std::string::npos);
}

TEST_CASE("a device node in a folder") {
    const Folder folder;
    folder.write("d/a.so", "CODE");
    if (::mknod(folder.path("d/null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
        SKIP("making a device node needs root");
    }
    CHECK(walk(folder, {"d"}).problems == std::vector<std::string>{"CAG408 d/null"});
}

TEST_CASE("every file belongs to exactly one part") {
    const Folder folder;
    for (int i = 0; i < 10; ++i) {
        folder.write("d/" + std::to_string(i), "CODE " + std::to_string(i));
    }
    std::vector<Member> all;
    for (std::size_t index = 0; index < 3; ++index) {
        CollectionOptions options = options_for_tests();
        options.shard = {index, 3};
        const Seen part = walk(folder, {"d"}, options);
        CHECK(part.files.size() >= 3);
        all.insert(all.end(), part.files.begin(), part.files.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == walk(folder, {"d"}).files);
}

TEST_CASE("what is known is not opened, and only what may hold code is asked about") {
    const Folder folder;
    folder.write("d/a.so", "CODE a");
    folder.write("d/b.so", "CODE b");
    folder.write("d/notes", "text");
    std::vector<std::string> asked;
    CollectionOptions options = options_for_tests();
    options.threads = 1;
    options.is_known = [&](const std::string& path) {
        asked.push_back(fs::path(path).filename().string());
        return asked.back() == "a.so";
    };
    const Seen seen = walk(folder, {"d"}, options);
    CHECK(asked == std::vector<std::string>{"a.so", "b.so"});
    CHECK(seen.files == std::vector<Member>{{"d/b.so", "CODE b"}});
}
