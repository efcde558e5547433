// Every field of every kind of file set to extremes, and every file cut at every boundary: what is not damaged is still listed.
#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/host_file.hpp"
#include "builders/writer.hpp"
#include "coverage/scan.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace cag;
using namespace cag::test;

namespace {

using Names = std::set<std::string>;

Bytes cubin_with(const std::string& kernel) {
    Cubin cubin;
    cubin.kernels = {{kernel}};
    cubin.options = "-arch sm_80";
    return build(cubin);
}

Bytes container_with(const std::string& kernel, Codec codec = Codec::none) {
    return build_container({cubin_entry(80, cubin_with(kernel), codec)});
}

std::string ptx_with(const std::string& kernel) {
    return ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry " + kernel + "() { ret; }\n";
}

ScanOptions options() {
    ScanOptions options;
    options.threads = 1;
    return options;
}

Names kernels_of(const Coverage& coverage) {
    Names names;
    for (const FileCoverage& file : coverage.files) {
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                for (const Kernel& kernel : image.kernels) {
                    names.insert(kernel.name);
                }
            }
        }
    }
    return names;
}

bool has_problem(const Coverage& coverage) {
    return std::ranges::any_of(coverage.files, [](const FileCoverage& file) { return !file.problems.empty(); });
}

const Names all_kernels{"registered", "second", "embedded", "bare", "text"};

// Two registered containers, and one container, one cubin and one PTX in a data section.
HostFile file_of(HostFormat format) {
    const Bytes containers = joined({container_with("registered"), container_with("second", Codec::zstd)});
    const auto with_wrappers = [&](std::uint64_t at) {
        const Bytes wrappers = joined({fatbin_wrapper(1, at), fatbin_wrapper(1, at + container_with("registered").size())});
        const Bytes data = joined({bytes_of("some data before it, "), container_with("embedded", Codec::lz4), Bytes(64), cubin_with("bare"),
                                   Bytes(64), bytes_of(ptx_with("text")), Bytes(8)});
        std::vector<HostSection> sections{{container_section(format), containers},
                                          {wrapper_section(format), wrappers},
                                          {format == HostFormat::macho ? "__DATA,__const" : ".rodata", data}};
        if (format == HostFormat::elf64 || format == HostFormat::elf32) {
            sections.push_back({".symtab", Bytes(48), true});
        }
        return build_host_file(format, sections);
    };
    return with_wrappers(load_address + with_wrappers(0).offsets[0]);
}

// Damage that leaves no such file: objects of Windows have no magic, only fields that must make sense.
bool is_magic(const Damage& damage) {
    return damage.name.find("magic") != std::string::npos || damage.name == "COFF header: section count = 0x0, was 0x3";
}

// Bytes that tell the format: of a DLL the PE signature too, of an object for Windows the first section header.
std::size_t smallest(HostFormat format) { return format == HostFormat::pe ? 0x84 : format == HostFormat::coff ? 60 : 1; }

} // namespace

TEST_CASE("the undamaged files are whole, and their containers registered") {
    for (const HostFormat format : {HostFormat::elf64, HostFormat::elf32, HostFormat::pe, HostFormat::coff, HostFormat::macho}) {
        CAPTURE(name_of(format));
        const Coverage coverage = scan_bytes(file_of(format).bytes, "whole", options());
        REQUIRE(coverage.files.size() == 1);
        const FileCoverage& file = coverage.files.front();
        CHECK(kernels_of(coverage) == all_kernels);
        CHECK(file.problems.empty());
        REQUIRE(file.modules.size() == 5);
        if (format != HostFormat::coff) { // an object's pointers are relocations, which the builder does not write
            CHECK(file.modules[0].kind == ModuleKind::registered);
            CHECK(file.modules[1].kind == ModuleKind::registered);
        }
        CHECK(file.modules[2].kind == ModuleKind::embedded);
        CHECK(file.modules[3].kind == ModuleKind::raw);
        CHECK(file.modules[4].kind == ModuleKind::raw);
    }
}

TEST_CASE("a damaged field of a host file's headers loses no module") {
    for (const HostFormat format : {HostFormat::elf64, HostFormat::elf32, HostFormat::pe, HostFormat::coff, HostFormat::macho}) {
        const HostFile whole = file_of(format);
        for (const Damage& damage : damaged_fields(whole.bytes, whole.fields)) {
            if (is_magic(damage)) {
                continue; // without it there is no such file
            }
            INFO(name_of(format) << ", " << damage.name);
            CHECK(kernels_of(scan_bytes(damage.bytes, "damaged", options())) == all_kernels);
        }
    }
}

TEST_CASE("without its magic a host file is read as something else or nothing, and nothing crashes") {
    for (const HostFormat format : {HostFormat::elf64, HostFormat::elf32, HostFormat::pe, HostFormat::coff, HostFormat::macho}) {
        const HostFile whole = file_of(format);
        for (const Damage& damage : damaged_fields(whole.bytes, whole.fields)) {
            if (is_magic(damage)) {
                CHECK(scan_bytes(damage.bytes, "damaged", options()).files.size() == 1);
            }
        }
    }
}

TEST_CASE("a host file cut anywhere lists what lies before the cut, and the cut is told") {
    for (const HostFormat format : {HostFormat::elf64, HostFormat::elf32, HostFormat::pe, HostFormat::coff, HostFormat::macho}) {
        const HostFile whole = file_of(format);
        const std::size_t second = whole.offsets[0] + container_with("registered").size();
        const std::size_t end_of_second = second + container_with("second", Codec::zstd).size();
        for (const Damage& damage : cut_short(whole.bytes, whole.boundaries)) {
            INFO(name_of(format) << ", " << damage.name);
            const Coverage coverage = scan_bytes(damage.bytes, "cut", options());
            const Names kernels = kernels_of(coverage);
            CHECK((damage.bytes.size() < second || kernels.contains("registered")));
            CHECK((damage.bytes.size() < end_of_second || kernels.contains("second")));
            CHECK((has_problem(coverage) || kernels == all_kernels || damage.bytes.size() < smallest(format)));
        }
    }
}

TEST_CASE("a damaged wrapper loses no module") {
    const HostFile whole = file_of(HostFormat::elf64);
    std::vector<Field> fields;
    for (std::size_t wrapper = 0; wrapper < 2; ++wrapper) {
        const std::size_t at = whole.offsets[1] + 24 * wrapper;
        for (const auto& [name, place, size] : {std::tuple{"magic", 0, 4}, {"version", 4, 4}, {"data", 8, 8}, {"inputs", 16, 8}}) {
            fields.push_back(
                {fmt::format("wrapper {}: {}", wrapper, name), at + static_cast<std::size_t>(place), static_cast<std::size_t>(size)});
        }
    }
    for (const Damage& damage : damaged_fields(whole.bytes, fields)) {
        CAPTURE(damage.name);
        const Coverage coverage = scan_bytes(damage.bytes, "damaged", options());
        CHECK(kernels_of(coverage) == all_kernels);
        const std::size_t other = damage.name.starts_with("wrapper 0") ? 1 : 0;
        CHECK(coverage.files[0].modules[other].kind == ModuleKind::registered);
    }
}

TEST_CASE("a damaged member header of an archive loses no other member") {
    const auto object = [](const std::string& kernel) {
        return build_host_file(HostFormat::elf64, {{".nv_fatbin", container_with(kernel)}}).bytes;
    };
    const std::vector<std::pair<std::string, Bytes>> members{
        {"first.o", object("first")}, {"a_name_of_more_than_fifteen.o", object("second")}, {"third.o", object("third")}};
    const HostFile whole = build_archive(members);
    REQUIRE(kernels_of(scan_bytes(whole.bytes, "lib.a", options())) == Names{"first", "second", "third"});
    for (const Damage& damage : damaged_fields(whole.bytes, whole.fields)) {
        if (is_magic(damage)) {
            continue;
        }
        CAPTURE(damage.name);
        const Coverage coverage = scan_bytes(damage.bytes, "lib.a", options());
        const Names kernels = kernels_of(coverage);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const bool is_damaged_one = damage.offset < whole.offsets[i] && damage.offset + 60 >= whole.offsets[i];
            const bool names_are_damaged = damage.name.starts_with("member //");
            CHECK((is_damaged_one || names_are_damaged || kernels.contains(i == 0 ? "first" : i == 1 ? "second" : "third")));
        }
        CHECK((kernels.size() == members.size() || has_problem(coverage)));
    }
    for (const Damage& damage : cut_short(whole.bytes, whole.boundaries)) {
        CAPTURE(damage.name);
        const Coverage coverage = scan_bytes(damage.bytes, "lib.a", options());
        CHECK((damage.bytes.size() < whole.offsets[0] + members[0].second.size() || kernels_of(coverage).contains("first")));
    }
}

TEST_CASE("a damaged thin archive names what it does not find and is survived") {
    const HostFile whole = build_thin_archive({{"gone.o", 100}, {"a_name_of_more_than_fifteen.o", 200}});
    for (const Damage& damage : damaged_fields(whole.bytes, whole.fields)) {
        CAPTURE(damage.name);
        const Coverage coverage = scan_bytes(damage.bytes, "thin.a", options());
        CHECK((is_magic(damage) || has_problem(coverage)));
    }
}

TEST_CASE("no module reaches into the next one, whatever the headers of a cubin before it say") {
    const Bytes cubin = cubin_with("bare");
    for (const Damage& damage : damaged_fields(cubin, fields_of_cubin(cubin))) {
        CAPTURE(damage.name);
        const HostFile file = build_host_file(HostFormat::elf64, {{".rodata", damage.bytes}, {".nv_fatbin", container_with("next")}});
        const Coverage coverage = scan_bytes(file.bytes, "damaged", options());
        std::uint64_t end = 0;
        for (const Module& module : coverage.files[0].modules) {
            CHECK(module.offset >= end);
            end = module.offset + module.size;
        }
        CHECK(kernels_of(coverage).contains("next"));
    }
}
