#include "coverage/scan.hpp"

#include "coverage/open.hpp"
#include "support/parallel.hpp"

#include <algorithm>

namespace cag {

namespace {

// Linked modules are few and small, and the empty cubin of a host link can only be told from a real one by its payload: these are read at
// any depth.
constexpr std::uint64_t small_payload = 16 << 10;

bool wanted(const OpenFile& file, const PendingPayload& pending, ScanDepth depth) {
    return depth == ScanDepth::payload ||
           (pending.payload.size <= small_payload && file.coverage.modules[pending.module].kind == ModuleKind::linked);
}

struct PayloadTask {
    OpenFile* file;
    std::size_t index;
};

void read_payloads(std::vector<OpenFile*>& files, const ScanOptions& options, unsigned threads) {
    std::vector<PayloadTask> tasks;
    for (OpenFile* file : files) {
        file->payload_problems.resize(file->code.payloads.size());
        for (std::size_t i = 0; i < file->code.payloads.size(); ++i) {
            if (wanted(*file, file->code.payloads[i], options.depth)) {
                tasks.push_back({file, i});
            }
        }
    }
    parallel_for(tasks.size(), threads, [&](std::size_t i) {
        OpenFile& file = *tasks[i].file;
        const PendingPayload& pending = file.code.payloads[tasks[i].index];
        read_payload(file.coverage.modules[pending.module].images, pending.payload, ByteView(*file.source), options.limits,
                     file.payload_problems[tasks[i].index]);
    });
}

// A container of relocatable code outside `__nv_relfatbin` (the section was renamed) is a link input, although its wrapper looks like any
// other.
void recognise_relocatable_modules(FileCoverage& file) {
    for (Module& module : file.modules) {
        const bool relocatable = !module.images.empty() && std::ranges::all_of(module.images, [](const Image& image) {
            return (image.payload_read && image.relocatable) || image.kind == ImageKind::ltoir;
        });
        const bool any_read = std::ranges::any_of(module.images, &Image::payload_read);
        if (module.kind == ModuleKind::registered && module.section != ".nv_fatbin" && module.section != ".nv_fatb" && relocatable &&
            any_read) {
            module.kind = ModuleKind::relocatable;
        }
    }
}

FileCoverage finish(OpenFile& file, const ScanOptions& options) {
    for (auto& problems : file.payload_problems) {
        std::ranges::move(problems, std::back_inserter(file.coverage.problems));
    }
    recognise_relocatable_modules(file.coverage);
    if (file.object) {
        assign_link_groups(file.coverage, ByteView(*file.source), *file.object, file.code.wrappers, options.limits);
    }
    return std::move(file.coverage);
}

// Reads the payloads of all files on all threads and appends the files in their order.
void finish(std::vector<std::vector<OpenFile>>& opened, const ScanOptions& options, unsigned threads, Coverage& coverage) {
    std::vector<OpenFile*> files;
    for (auto& of_path : opened) {
        std::ranges::transform(of_path, std::back_inserter(files), [](OpenFile& file) { return &file; });
    }
    read_payloads(files, options, threads);
    for (OpenFile* file : files) {
        coverage.files.push_back(finish(*file, options));
    }
}

constexpr std::size_t batch_size = 64; // paths whose files are open at one time

} // namespace

Coverage scan(const std::vector<std::string>& paths, const ScanOptions& options) {
    const unsigned threads = options.threads == 0 ? default_threads() : options.threads;
    Coverage coverage;
    for (std::size_t first = 0; first < paths.size(); first += batch_size) {
        const std::size_t count = std::min(batch_size, paths.size() - first);
        std::vector<std::vector<OpenFile>> opened(count);
        parallel_for(count, threads, [&](std::size_t i) { opened[i] = open_path(paths[first + i], options, count == 1 ? threads : 1); });
        finish(opened, options, threads, coverage);
    }
    return coverage;
}

Coverage scan_bytes(std::span<const std::byte> bytes, const std::string& name, const ScanOptions& options) {
    const unsigned threads = options.threads == 0 ? default_threads() : options.threads;
    std::vector<std::vector<OpenFile>> opened;
    opened.push_back(open_source(std::make_shared<MemorySource>(bytes), name, options, threads));
    Coverage coverage;
    finish(opened, options, threads, coverage);
    return coverage;
}

} // namespace cag
