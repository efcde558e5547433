// Writes the libraries that the tests of the program read: make_inputs FOLDER. Each is a whole ELF file with containers of cubins and PTX,
// or one with a damage that its name tells.
#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/host_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

namespace {

using cag::Bytes;
using cag::test::build_container;
using cag::test::Entry;
using cag::test::library_with;

using Names = std::vector<std::string>;

Bytes cubin(unsigned sm, const Names& kernels) {
    cag::test::Cubin cubin;
    cubin.sm = sm;
    cubin.virtual_sm = sm;
    for (const std::string& name : kernels) {
        cubin.kernels.push_back({name});
    }
    return build(cubin);
}

Entry sass(unsigned sm, const Names& kernels) { return cag::test::cubin_entry(sm, cubin(sm, kernels)); }

Entry empty_sass(unsigned sm) { return sass(sm, {}); }

Entry specific(Entry entry) {
    entry.flags |= 0x100000;
    return entry;
}

Entry ptx(unsigned target, const Names& kernels) {
    std::string text = fmt::format(".version 9.0\n.target sm_{}\n.address_size 64\n", target);
    for (const std::string& name : kernels) {
        text += fmt::format(".visible .entry {}()\n{{\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}}\n", name);
    }
    return cag::test::ptx_entry(target, text);
}

const Names first{"_Z5scalePff", "_Z3addPfS_"};
const Names second{"_Z6reducePKfPf"};

// One to three modules of one to four images each, some without one of the kernels; the same for the same number.
Bytes random_library(unsigned number) {
    std::mt19937 random(number);
    const auto below = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
    const std::vector<unsigned> targets{75, 80, 86, 89, 90, 100, 103, 120, 121};
    std::vector<Bytes> containers;
    for (std::size_t module = 0; module <= below(3); ++module) {
        const Names kernels{fmt::format("_Z{}kernel_{}v", 8, module), fmt::format("_Z{}other_{}v", 7, module)};
        std::vector<Entry> entries;
        for (std::size_t image = 0; image <= below(4); ++image) {
            const unsigned target = targets[below(targets.size())];
            const Names held(kernels.begin(), kernels.end() - (below(6) == 0 ? 1 : 0));
            const Entry entry = below(3) == 0 ? ptx(target, held) : sass(target, held);
            entries.push_back(target >= 90 && below(4) == 0 ? specific(entry) : entry);
        }
        containers.push_back(build_container(entries));
    }
    return library_with(containers);
}

void write(const std::filesystem::path& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        throw std::runtime_error("cannot write " + path.string());
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_inputs FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);

    const Bytes whole_first = build_container({sass(80, first), sass(90, first), ptx(90, first)});
    const Bytes whole_second = build_container({sass(80, second), sass(90, second), ptx(90, second)});
    const Bytes second_without_90 = build_container({sass(80, second)});

    const Bytes complete = library_with({whole_first, whole_second});
    write(folder / "libcomplete.so", complete);
    write(folder / "libgap.so", library_with({whole_first, second_without_90}));
    write(folder / "libcut.so", Bytes(complete.begin(), complete.begin() + static_cast<std::ptrdiff_t>(complete.size() / 2)));
    write(folder / "libhost.so", library_with({}));
    write(folder / "libspecialised.so", library_with({whole_first, build_container({specific(sass(100, second))})}));
    write(folder / "libpartial.so", library_with({build_container({sass(80, {"_Z6alwaysv", "_Z6only80v"}), sass(90, {"_Z6alwaysv"})})}));
    write(folder / "stub.fatbin", build_container({empty_sass(75)}));
    write(folder / "good.fatbin", whole_first);
    write(folder / "special.fatbin", build_container({specific(sass(90, first))}));
    write(folder / "good.cubin", cubin(80, first));
    write(folder / "escape.fatbin", build_container({sass(80, {"evil\x1b[31mname", "not-utf8-\xff"})}));
    for (unsigned number = 0; number < 20; ++number) {
        write(folder / fmt::format("librandom-{}.so", number), random_library(number));
    }
    Names many;
    for (int i = 0; i < 40; ++i) {
        many.push_back(fmt::format("_Z{}kernel_number_{}v", 14 + std::to_string(i).size(), i));
    }
    write(folder / "libmany.so", library_with({build_container({sass(80, many), sass(90, many)})}));
    return 0;
}
