// The line that is shown while the program reads.
#include "cli/progress.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

TEST_CASE("a bar, the rate and the time left, where the whole is known") {
    const std::uint64_t mebibyte = 1 << 20;
    CHECK(progress_line({25 * mebibyte, 100 * mebibyte, 7, 0}, 5) ==
          "[#####---------------]  25.0 MiB of 100.0 MiB, 7 files, 5.0 MiB/s, 15 s left");
    CHECK(progress_line({100 * mebibyte, 100 * mebibyte, 1, 0}, 5) ==
          "[####################]  100.0 MiB of 100.0 MiB, 1 file, 20.0 MiB/s, 0 s left");
}

TEST_CASE("where the whole is not known, nothing is said of it") {
    CHECK(progress_line({5 << 20, 0, 2, 0}, 5) == "5.0 MiB, 2 files, 1.0 MiB/s");
    CHECK(progress_line({5 << 20, 1 << 20, 2, 0}, 5) == "5.0 MiB, 2 files, 1.0 MiB/s"); // a file that grows
    CHECK(progress_line({0, 1 << 20, 0, 0}, 0) == "[--------------------]  0 B of 1.0 MiB, 0 files, 0 B/s");
}
