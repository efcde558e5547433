// Paths in, files out: archives, members, and what cannot be read.
#include "builders/packed.hpp"
#include "coverage/open.hpp"
#include "coverage/scan.hpp"
#include "input/file.hpp"
#include "unit/coverage/files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace cag;
using namespace cag::test;

namespace {

// A folder of its own, gone at the end of the test.
class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("cag-scan-test-{}", ::getpid())) {
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::string write(const std::string& name, const Bytes& bytes) const {
        const auto path = path_ / name;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return path.string();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

Bytes object(unsigned target, std::string_view kernel) { return build_elf(ET_REL, {{"__nv_relfatbin", container(target, kernel)}}).bytes; }

Bytes archive(const std::vector<std::pair<std::string, Bytes>>& members) { return build_archive(members).bytes; }

} // namespace

TEST_CASE("progress goes on inside one large file, never back, and ends at all of it") {
    const Folder folder;
    const std::string path = folder.write("liblarge.so", build_elf(ET_DYN, {{".nv_fatbin", container(80, "a")}}).bytes);
    std::filesystem::resize_file(path, std::uint64_t{48} << 20); // a hole, which is searched like everything else
    std::vector<ScanProgress> told;
    ScanOptions options;
    options.threads = 2;
    options.progress = [&](const ScanProgress& done) { told.push_back(done); };
    CHECK(scan({path}, options).files.size() == 1);
    CHECK(std::ranges::is_sorted(told, {}, &ScanProgress::bytes));
    CHECK(std::ranges::any_of(told, [](const ScanProgress& done) { return done.bytes > 0 && done.bytes < done.total; }));
    REQUIRE(!told.empty());
    CHECK(told.back().bytes == std::uint64_t{48} << 20);
    CHECK(told.back().bytes == told.back().total);
    CHECK(told.back().files == 1);
}

TEST_CASE("progress goes on inside a batch of files of which none is large") {
    const Folder folder;
    std::vector<std::string> paths;
    for (int i = 0; i < 8; ++i) {
        paths.push_back(folder.write(fmt::format("lib{}.so", i), build_elf(ET_DYN, {{".nv_fatbin", container(80, "a")}}).bytes));
        std::filesystem::resize_file(paths.back(), (std::uint64_t{16} << 20) + static_cast<std::uint64_t>(i) * 4096); // none is a copy
    }
    std::vector<ScanProgress> told;
    ScanOptions options;
    options.threads = 1;
    options.progress = [&](const ScanProgress& done) { told.push_back(done); };
    CHECK(scan(paths, options).files.size() == 8);
    const auto inside = std::ranges::count_if(told, [](const ScanProgress& done) { return done.files == 0 && done.bytes > 0; });
    CHECK(inside > 16);
}

TEST_CASE("an archive's members are files of their own, in their order, with offsets from the member's start") {
    const Bytes bytes = archive({{"a.o", object(80, "a")}, {"readme", bytes_of("text")}, {"b.o", object(90, "b")}});
    const Coverage coverage = scan_bytes(bytes, "lib.a");
    REQUIRE(coverage.files.size() == 3);
    CHECK(coverage.files[0].path == "lib.a");
    CHECK(coverage.files[0].member == "a.o");
    CHECK(coverage.files[2].member == "b.o");
    CHECK(coverage.files[1].modules.empty());
    REQUIRE(coverage.files[2].modules.size() == 1);
    CHECK(coverage.files[2].modules[0].kind == ModuleKind::relocatable);
    const auto alone = scan_bytes(object(90, "b"), "b.o");
    CHECK(coverage.files[2].modules[0].offset == alone.files[0].modules[0].offset);
}

TEST_CASE("an archive inside an archive is named by both") {
    const Coverage coverage = scan_bytes(archive({{"inner.a", archive({{"x.o", object(80, "x")}})}}), "outer.a");
    REQUIRE(coverage.files.size() == 1);
    CHECK(coverage.files[0].member == "inner.a!x.o");
}

TEST_CASE("archives nested deeper than the limit are a problem and not silence") {
    Bytes bytes = archive({{"x.o", object(80, "x")}});
    for (int i = 0; i < 10; ++i) {
        bytes = archive({{"inner.a", bytes}});
    }
    const Coverage coverage = scan_bytes(bytes, "deep.a");
    REQUIRE(coverage.files.size() == 1);
    REQUIRE(coverage.files[0].problems.size() == 1);
    CHECK(coverage.files[0].problems[0].code == "CAG404");
}

TEST_CASE("a thin archive reads the files beside it and names the one that is missing") {
    const Folder folder;
    folder.write("a.o", object(80, "a"));
    const std::string path = folder.write("thin.a", build_thin_archive({{"a.o", 100}, {"gone.o", 100}}).bytes);
    const Coverage coverage = scan({path});
    REQUIRE(coverage.files.size() == 2);
    CHECK(coverage.files[0].member == "a.o");
    CHECK(coverage.files[0].modules.size() == 1);
    REQUIRE(coverage.files[1].problems.size() == 1);
    CHECK(coverage.files[1].problems[0].code == "CAG408");
}

TEST_CASE("packages and archives of every kind lead to the code in them") {
    const Folder folder;
    const Members code = {{"k.ptx", bytes_of(ptx(90, "k"))}};
    const Bytes tar = build_tar(code);
    // Made by `ar`, which records no file types.
    const Bytes debian = archive({{"debian-binary", bytes_of("2.0\n")}, {"data.tar.zst", zstandard(tar)}});
    for (const Bytes& bytes : {debian, tar, gzipped(tar), zstandard(build_cpio(code)), build_cpio(code), build_zip(code),
                               build_zip(code, ZipKind::stored), build_zip(code, ZipKind::zip64), build_zip({{"inner.tar", tar}})}) {
        const Coverage coverage = scan({folder.write("archive", bytes)});
        REQUIRE(coverage.files.size() == 1);
        CHECK(coverage.files[0].problems.empty());
        REQUIRE(coverage.files[0].modules.size() == 1);
        CHECK(to_string(coverage.files[0].modules[0].images.at(0).arch) == "90");
    }
}

TEST_CASE("a member's header that declares a name of gigabytes ends the archive and not the memory") {
    const Folder folder;
    Bytes bytes = build_cpio({{"k.ptx", bytes_of(ptx(90, "k"))}});
    constexpr std::size_t name_size = 94;
    std::ranges::copy(bytes_of("f0000000"), bytes.begin() + name_size);
    bytes.resize(std::size_t{80} << 20); // a few kilobytes when compressed
    const Coverage coverage = scan({folder.write("bomb", zstandard(bytes))});
    REQUIRE(coverage.files.size() == 1);
    REQUIRE(coverage.files[0].problems.size() == 1);
    CHECK(coverage.files[0].problems[0].code == "CAG404");
}

TEST_CASE("what is no readable file is a problem: missing, a fifo, an archive that is cut short; by itself or in a folder") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    const std::string zip = folder.write("x.whl", bytes_of("PK\x03\x04 and more"));
    const Coverage coverage = scan({folder.path("missing"), folder.path("."), folder.path("fifo"), zip});
    std::vector<std::string> codes;
    for (const FileCoverage& file : coverage.files) {
        REQUIRE(file.problems.size() == 1);
        CHECK(file.modules.empty());
        codes.push_back(file.problems[0].code);
    }
    CHECK(codes == std::vector<std::string>{"CAG408", "CAG401", "CAG408", "CAG408", "CAG401"});
}

TEST_CASE("a file that becomes shorter while it is read is a problem and no signal") {
    const Folder folder;
    const std::string path =
        folder.write("lib.so", build_elf(ET_DYN, {{".nv_fatbin", container(80, "first") + container(90, "second")}}).bytes);
    for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{100}, std::filesystem::file_size(path) / 2}) {
        const std::string shrinking = folder.write("shrinking.so", build_elf(ET_DYN, {{".nv_fatbin", container(80, "first")}}).bytes);
        InputItem item;
        item.path = shrinking;
        item.open = [&]() -> Result<std::shared_ptr<const ByteSource>> {
            auto source = FileSource::open(shrinking);
            std::filesystem::resize_file(shrinking, size); // behind the reader's back: it knows the former size
            return source.map([](auto&& file) { return std::shared_ptr<const ByteSource>(std::move(file)); });
        };
        const auto files = open_item(item, {}, 1);
        REQUIRE(files.size() == 1);
        REQUIRE_FALSE(files[0].coverage.problems.empty());
        CHECK(files[0].coverage.problems[0].message.find("became shorter") != std::string::npos);
    }
}

TEST_CASE("a text, an empty file and a program without device code hold nothing and are no problem") {
    for (const Bytes& bytes : {Bytes{}, bytes_of("#!/bin/sh\n"), build_elf(ET_DYN, {{".text", Bytes(100)}}).bytes}) {
        const Coverage coverage = scan_bytes(bytes, "x");
        REQUIRE(coverage.files.size() == 1);
        CHECK(coverage.files[0].problems.empty());
        CHECK(coverage.files[0].modules.empty());
    }
}

TEST_CASE("raw files are one module: a fatbin and PTX") {
    const Coverage fatbin = scan_bytes(container(90, "k") + container(80, "k"), "x.fatbin");
    CHECK(fatbin.files[0].format == "fatbin");
    REQUIRE(fatbin.files[0].modules.size() == 2);
    CHECK(fatbin.files[0].modules[0].kind == ModuleKind::raw);

    const Coverage text = scan_bytes(bytes_of(ptx(90, "k")), "x.ptx");
    CHECK(text.files[0].format == "ptx");
    REQUIRE(text.files[0].modules.size() == 1);
    CHECK(text.files[0].modules[0].images[0].ptx_isa == PtxIsa{9, 0});
}

TEST_CASE("any number of threads gives the same result in the same order") {
    const Folder folder;
    std::vector<std::string> paths;
    for (unsigned i = 0; i < 150; ++i) {
        paths.push_back(folder.write(fmt::format("{}.o", i), object(75 + i % 10, fmt::format("k{}", i))));
    }
    for (const unsigned threads : {1U, 2U, 8U}) {
        ScanOptions options;
        options.threads = threads;
        const Coverage coverage = scan(paths, options);
        REQUIRE(coverage.files.size() == paths.size());
        for (std::size_t i = 0; i < paths.size(); ++i) {
            CHECK(coverage.files[i].path == paths[i]);
            REQUIRE(coverage.files[i].modules.size() == 1);
            CHECK(coverage.files[i].modules[0].images[0].kernels[0].name == fmt::format("k{}", i));
        }
    }
}
