// The guard's table: what is written is read again, what has no room is counted, and damage is no table.
#include "report/guard_table.hpp"
#include "runtime/internal.hpp"
#include "unit/compat/made.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace cag;

namespace {

// Many translation units of one list, each with many kernels.
made::File library(std::size_t units, std::size_t kernels) {
    made::File file;
    for (std::size_t unit = 0; unit < units; ++unit) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kernels; ++i) {
            names.push_back(fmt::format("kernel_number_{}_of_unit_{}", i, unit));
        }
        file.add(ModuleKind::registered, made::images({"sm_80", "sm_90", "compute_90"}, names));
    }
    return file;
}

} // namespace

TEST_CASE("alike modules are one row, and names stay as long as there is room") {
    const auto table = guard_table(library(500, 20).coverage().files[0], CAG_TABLE_ROOM);
    REQUIRE(table);
    CHECK(table->modules == 500);
    CHECK(table->kernels == 10000);
    CHECK(table->names > 300);
    CHECK(table->names < 10000);
    CHECK(table->bytes.size() == CAG_TABLE_ROOM);
    runtime::Table read{};
    REQUIRE(runtime::open_table(table->bytes.data(), table->bytes.size(), &read));
    CHECK(read.head->modules == 1);
    CHECK(read.groups[0].kernels == 10000);
    CHECK(std::string(read.text + read.head->file) == "made");
}

TEST_CASE("what has no room at all is refused, with the number of bytes") {
    made::File file;
    for (int i = 0; i < 40; ++i) { // no two alike
        file.add(ModuleKind::registered, made::images({"sm_80"}, {fmt::format("k{}", i)}));
        file.get().modules.back().images[0].arch = arch_from_number(static_cast<unsigned>(80 + 10 * i));
    }
    const auto table = guard_table(file.coverage().files[0], 1024);
    REQUIRE(!table);
    CHECK(table.error().code == "CAG506");
    CHECK(table.error().message.find("1024") != std::string::npos);
}

TEST_CASE("nothing is read from what was never written, is cut, or points outside itself") {
    const auto table = guard_table(library(2, 2).coverage().files[0], CAG_TABLE_ROOM);
    REQUIRE(table);
    runtime::Table read{};
    Bytes bytes(CAG_TABLE_ROOM);
    CHECK(!runtime::open_table(bytes.data(), bytes.size(), &read));
    CHECK(!runtime::open_table(table->bytes.data(), 100, &read));
    for (const std::size_t field : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) { // used, modules, images, groups, places, text, file
        bytes = table->bytes;
        const std::uint32_t much = 0x7fffffff;
        std::memcpy(bytes.data() + field * 4, &much, sizeof much);
        CAPTURE(field);
        CHECK(!runtime::open_table(bytes.data(), bytes.size(), &read));
    }
}
