#include "coverage/open.hpp"

#include "coverage/arch_flags.hpp"
#include "input/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace cag {

namespace {

class Opener {
  public:
    Opener(const ScanOptions& options, unsigned threads) : options_(options), threads_(threads) {}

    std::vector<OpenFile> open(const InputItem& item) const {
        std::vector<OpenFile> files;
        std::vector<Problem> problems = item.problems;
        if (item.open) {
            if (auto source = item.open()) {
                files = open_source(*std::move(source), item.path, item.member, 0);
            } else {
                problems.push_back(source.error());
            }
        }
        if (files.empty()) {
            files.emplace_back();
            files.front().coverage.path = item.path;
            files.front().coverage.member = item.member;
            files.front().coverage.format = item.collection.empty() ? "unknown" : item.collection;
        }
        std::ranges::move(problems, std::back_inserter(files.front().coverage.problems));
        for (OpenFile& file : files) {
            file.coverage.origin = item.origin;
        }
        return files;
    }

    std::vector<OpenFile> open_source(std::shared_ptr<const ByteSource> source, const std::string& path, std::optional<std::string> member,
                                      unsigned depth) const {
        const ByteView view(*source);
        if (is_archive(view)) {
            return open_archive(std::move(source), path, std::move(member), depth);
        }
        std::vector<OpenFile> files(1);
        OpenFile& file = files.front();
        file.source = std::move(source);
        file.coverage.path = path;
        file.coverage.member = std::move(member);
        read_headers(file);
        return files;
    }

  private:
    std::vector<OpenFile> open_archive(std::shared_ptr<const ByteSource> source, const std::string& path, std::optional<std::string> member,
                                       unsigned depth) const {
        const ByteView view(*source);
        Archive archive = read_archive(view, options_.limits);
        if (depth >= options_.limits.max_depth) {
            archive.members.clear();
            archive.problems.push_back(
                {"CAG404",
                 fmt::format("archives are nested more than {} deep; the inner ones are not read", options_.limits.max_depth),
                 {}});
        }
        std::vector<OpenFile> files;
        if (!archive.problems.empty() || archive.members.empty()) {
            OpenFile& self = files.emplace_back();
            self.coverage.path = path;
            self.coverage.member = member;
            self.coverage.format = "ar";
            self.coverage.problems = std::move(archive.problems);
        }
        for (const ArchiveMember& entry : archive.members) {
            std::string name = member ? *member + "!" + entry.name : entry.name;
            std::vector<OpenFile> inner = !entry.external ? open_member(source, entry, path, std::move(name), depth)
                                          : member        ? unread(path, std::move(name), outside(entry))
                                                          : open_external(path, entry.name, std::move(name), depth);
            std::ranges::move(inner, std::back_inserter(files));
        }
        return files;
    }

    std::vector<OpenFile> open_member(const std::shared_ptr<const ByteSource>& archive, const ArchiveMember& entry, const std::string& path,
                                      std::string name, unsigned depth) const {
        const auto bytes = ByteView(*archive).sub(entry.offset, entry.size, "archive member").value_or(ByteView{});
        return open_source(std::make_shared<PartSource>(archive, bytes), path, std::move(name), depth + 1);
    }

    // What a package's thin archive names is not in the package, whatever this machine has under that name.
    static Problem outside(const ArchiveMember& entry) {
        return {"CAG412",
                fmt::format("expected a member's bytes, found the path `{}` in a thin archive: that file is not part of what is read. Pack "
                            "the objects themselves (ar without `T`)",
                            entry.name),
                entry.offset};
    }

    static std::vector<OpenFile> unread(const std::string& path, std::string member, Problem problem) {
        std::vector<OpenFile> files(1);
        files.front().coverage.path = path;
        files.front().coverage.member = std::move(member);
        files.front().coverage.format = "unknown";
        files.front().coverage.problems.push_back(std::move(problem));
        return files;
    }

    // A thin archive's member lies beside it.
    std::vector<OpenFile> open_external(const std::string& archive_path, const std::string& relative, std::string name,
                                        unsigned depth) const {
        const std::string path = (std::filesystem::path(archive_path).parent_path() / relative).string();
        auto source = FileSource::open(path);
        if (!source) {
            return unread(archive_path, std::move(name), source.error());
        }
        return open_source(std::shared_ptr<const ByteSource>(*std::move(source)), archive_path, std::move(name), depth + 1);
    }

    void read_headers(OpenFile& file) const {
        const ByteView view(*file.source);
        FileCoverage& coverage = file.coverage;
        if (const auto first = view.read<char>(0, "first byte"); !first && !view.empty()) {
            coverage.format = "unknown";
            coverage.problems.push_back(first.error());
        } else if (is_cubin(view) || is_cut_cubin(view)) {
            read_bare(file, "cubin", read_cubin(view, options_.depth, options_.limits));
        } else if (has_container_magic(view)) {
            read_fatbin(file);
        } else if (is_elf(view)) {
            read_object(file, read_elf(view, options_.limits));
        } else if (is_pe(view)) {
            read_object(file, read_pe(view, options_.limits));
        } else if (is_macho(view)) {
            read_object(file, read_macho(view, options_.limits));
        } else if (is_coff(view)) {
            read_object(file, read_coff(view, options_.limits));
        } else if (is_ptx(view)) {
            read_bare(file, "ptx", read_ptx(view, options_.depth, options_.limits));
        } else if (is_ltoir(view)) {
            read_bare(file, "ltoir", read_ltoir(view));
        } else {
            coverage.format = "unknown";
        }
    }

    void read_bare(OpenFile& file, const char* format, Result<Image> image) const {
        file.coverage.format = format;
        file.coverage.machine = "cuda";
        file.coverage.role = FileRole::raw;
        if (image) {
            add_bare_image(*std::move(image), "", file.coverage);
        } else {
            file.coverage.problems.push_back(image.error());
            add_unreadable_module(file);
        }
    }

    // The file is still something that a program may try to load.
    static void add_unreadable_module(OpenFile& file) {
        Module module;
        module.kind = ModuleKind::raw;
        module.unexplained_bytes = module.size = file.source->size();
        file.coverage.modules.push_back(std::move(module));
    }

    // An ELF file of CUDA's machine whose section table lies behind its end.
    static bool is_cut_cubin(const ByteView& view) {
        constexpr std::uint64_t elf_machine = 18;
        constexpr std::uint16_t machine_cuda = 190;
        return is_elf(view) && view.read<std::uint16_t>(elf_machine, "ELF machine").value_or(0) == machine_cuda;
    }

    void read_fatbin(OpenFile& file) const {
        file.coverage.format = "fatbin";
        file.coverage.machine = "cuda";
        file.coverage.role = FileRole::raw;
        for (Container& container : read_containers(ByteView(*file.source), ScanDepth::headers, options_.limits, file.coverage.problems)) {
            add_container(std::move(container), ModuleKind::raw, "", file.coverage, file.code.payloads);
        }
        if (file.coverage.modules.empty()) {
            add_unreadable_module(file);
        }
    }

    void read_object(OpenFile& file, Result<ObjectFile> object) const {
        FileCoverage& coverage = file.coverage;
        if (!object) {
            coverage.format = "unknown";
            coverage.problems.push_back(object.error());
            return;
        }
        coverage.format = object->format;
        coverage.machine = object->machine;
        coverage.role = object->kind == ObjectFile::Kind::relocatable ? FileRole::object : FileRole::loadable;
        coverage.problems = object->problems;
        const auto runtime = std::ranges::find_if(object->needed, [](const std::string& name) { return name.starts_with("libcudart.so"); });
        if (runtime != object->needed.end()) {
            coverage.cuda_runtime = *runtime;
        }
        file.code = locate_device_code(ByteView(*file.source), *object, options_.depth, options_.limits, threads_, coverage);
        if (keeps_arch_flags(coverage)) {
            coverage.arch_flags = find_arch_flags(ByteView(*file.source), *object);
        }
        file.object = *std::move(object);
    }

    ScanOptions options_;
    unsigned threads_;
};

} // namespace

std::vector<OpenFile> open_item(const InputItem& item, const ScanOptions& options, unsigned threads) {
    return Opener(options, threads).open(item);
}

bool may_hold_code(std::span<const std::byte> head, bool whole) {
    const MemorySource source(head);
    const ByteView view(source);
    // Headers of PE and COFF may reach behind the first bytes; only the whole file tells then.
    const auto magic = view.read<std::uint16_t>(0, "magic").value_or(0);
    const bool dos = magic == 0x5a4d;
    const bool coff = is_coff(view) || (!whole && (magic == 0x8664 || magic == 0xaa64));
    return is_elf(view) || is_archive(view) || dos || is_macho(view) || has_container_magic(view) || coff || is_ptx(view);
}

} // namespace cag
