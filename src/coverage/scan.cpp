#include "coverage/scan.hpp"

#include "coverage/open.hpp"
#include "coverage/progress.hpp"
#include "coverage/registrations.hpp"
#include "support/budget.hpp"
#include "support/parallel.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

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

void read_payloads(std::vector<OpenFile*>& files, const ScanOptions& options, unsigned threads, ProgressOfScan* progress) {
    std::vector<PayloadTask> tasks;
    std::uint64_t expanded = 0;
    for (OpenFile* file : files) {
        if (file->is_copy) {
            continue;
        }
        file->payload_problems.resize(file->code.payloads.size());
        for (std::size_t i = 0; i < file->code.payloads.size(); ++i) {
            if (wanted(*file, file->code.payloads[i], options.depth)) {
                tasks.push_back({file, i});
                expanded += file->code.payloads[i].payload.expanded_size;
            }
        }
    }
    // The largest first: one that begins last would be waited for.
    std::ranges::stable_sort(tasks, std::ranges::greater(),
                             [](const PayloadTask& task) { return task.file->code.payloads[task.index].payload.expanded_size; });
    if (progress != nullptr) {
        progress->begin_images(expanded);
    }
    Budget memory(options.limits.max_memory / 4); // the rest is for what was found, and for members of archives
    parallel_for(tasks.size(), threads_for(expanded, threads), [&](std::size_t i) {
        OpenFile& file = *tasks[i].file;
        const PendingPayload& pending = file.code.payloads[tasks[i].index];
        const Budget::Share share(memory, std::min(pending.payload.expanded_size, options.limits.max_expanded_image));
        read_payload(file.coverage.modules[pending.module].images, pending.payload, ByteView(*file.source), options.limits,
                     file.payload_problems[tasks[i].index]);
        if (progress != nullptr) {
            progress->expanded(pending.payload.expanded_size);
        }
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

// Kernels that more than one registered module holds.
std::set<std::string> repeated_kernels(const FileCoverage& file) {
    std::map<std::string_view, std::size_t> first_module;
    std::set<std::string> repeated;
    for (const Module& module : file.modules) {
        if (module.kind != ModuleKind::registered) {
            continue;
        }
        for (const Image& image : module.images) {
            for (const Kernel& kernel : image.kernels) {
                if (first_module.try_emplace(kernel.name, module.index).first->second != module.index) {
                    repeated.insert(kernel.name);
                }
            }
        }
    }
    return repeated;
}

FileCoverage finish(OpenFile& file, const ScanOptions& options) {
    if (file.is_copy) {
        return std::move(file.coverage);
    }
    for (auto& problems : file.payload_problems) {
        std::ranges::move(problems, std::back_inserter(file.coverage.problems));
    }
    recognise_relocatable_modules(file.coverage);
    if (file.object) {
        assign_link_groups(file.coverage, ByteView(*file.source), *file.object, file.code.wrappers, options.limits);
        file.coverage.shared_host_functions =
            kernels_with_shared_host_function(ByteView(*file.source), *file.object, repeated_kernels(file.coverage));
    }
    return std::move(file.coverage);
}

// Reads the payloads of all files on all threads. The files come in their order.
std::vector<FileCoverage> finish(std::vector<std::vector<OpenFile>>& opened, const ScanOptions& options, unsigned threads,
                                 ProgressOfScan* progress) {
    std::vector<OpenFile*> files;
    for (auto& of_item : opened) {
        std::ranges::transform(of_item, std::back_inserter(files), [](OpenFile& file) { return &file; });
    }
    read_payloads(files, options, threads, progress);
    std::vector<FileCoverage> finished;
    finished.reserve(files.size());
    for (OpenFile* file : files) {
        finished.push_back(finish(*file, options));
    }
    return finished;
}

// Items that are open at one time: so many files, and so many bytes in memory or in temporary files.
constexpr std::size_t batch_items = 256;
constexpr std::uint64_t batch_bytes = std::uint64_t{4} << 30;

// One that cannot be read is passed over: it is no device code, and whoever asked for it sees that it is not there.
void take_text(const InputItem& item, Coverage& coverage) {
    const auto source = item.open ? item.open() : failure("CAG408", "not open");
    const auto bytes = source.and_then([](const auto& open) { return ByteView(*open).bytes(std::uint64_t{4} << 20, "text"); });
    if (bytes) {
        coverage.texts.push_back({item.path, item.member, {reinterpret_cast<const char*>(bytes->data()), bytes->size()}});
    }
}

std::vector<InputItem> next_batch(InputWalk& walk, const Limits& limits, Coverage& coverage) {
    std::vector<InputItem> batch;
    std::uint64_t memory = 0;
    std::uint64_t size = 0;
    while (batch.size() < batch_items && memory <= limits.max_memory / 16 && size <= batch_bytes) {
        auto item = walk.next();
        if (!item) {
            break;
        }
        if (item->is_text) {
            take_text(*item, coverage);
            continue;
        }
        memory += item->memory;
        size += item->size;
        batch.push_back(*std::move(item));
    }
    return batch;
}

// Files that have the same bytes are decoded once: an environment may hold a library many times, as may the wheels of a release. A build id
// would not do to know them by: strip, nvprune and patchelf keep it, and what they leave may lack code that the original has.
class Copies {
  public:
    explicit Copies(ScanDepth depth) : wanted_(depth == ScanDepth::payload) {}

    // Called by several threads. What is wrong with a file may be wrong with its name.
    void identify(OpenFile& file) const {
        if (wanted_ && !file.code.payloads.empty() && file.coverage.problems.empty() && file.source->size() >= worth_it) {
            if (const auto content = fingerprinter_.of(*file.source)) {
                file.content = *content;
            }
        }
    }

    void mark(std::vector<std::vector<OpenFile>>& opened) {
        for (auto& of_item : opened) {
            for (OpenFile& file : of_item) {
                file.is_copy = file.content && !first_.try_emplace(*file.content, not_placed).second;
            }
        }
    }

    // The file as it is listed at this place: a copy with everything that was found in the first one.
    FileCoverage place(const OpenFile& file, FileCoverage coverage, const std::vector<FileCoverage>& before) {
        if (!file.content) {
            return coverage;
        }
        if (!file.is_copy) {
            first_[*file.content] = before.size();
            return coverage;
        }
        FileCoverage copy = before[first_[*file.content]];
        copy.path = std::move(coverage.path);
        copy.member = std::move(coverage.member);
        copy.origin = std::move(coverage.origin);
        return copy;
    }

  private:
    static constexpr std::uint64_t worth_it = std::uint64_t{256} << 10;
    static constexpr std::size_t not_placed = static_cast<std::size_t>(-1);

    bool wanted_;
    Fingerprinter fingerprinter_;
    std::map<Fingerprint, std::size_t> first_; // the index of the first file with this content
};

// A folder or archive in which nothing was found is told, not passed over.
FileCoverage empty_input(const std::string& path, const std::string& kind) {
    FileCoverage file;
    file.path = path;
    file.format = kind;
    return file;
}

// Files that were read before. Asked by several threads.
class Known {
  public:
    explicit Known(const ScanOptions& options) : options_(options) {}

    bool find(const std::string& path) {
        auto known = options_.known(path);
        const std::scoped_lock lock(mutex_);
        return known && found_.insert_or_assign(path, *std::move(known)).second;
    }

    Coverage take(const std::string& path) {
        const std::scoped_lock lock(mutex_);
        return std::move(found_[path]);
    }

  private:
    const ScanOptions& options_;
    std::mutex mutex_;
    std::map<std::string, Coverage> found_;
};

CollectionOptions collection_options(const ScanOptions& options, unsigned threads, Known& known) {
    CollectionOptions collection;
    collection.limits = options.limits;
    collection.threads = threads;
    collection.may_hold_code = may_hold_code;
    collection.wants_text = options.wants_text;
    collection.shard = options.shard;
    if (options.known) {
        collection.is_known = [&known](const std::string& path) { return known.find(path); };
    }
    return collection;
}

} // namespace

Coverage scan(const std::vector<std::string>& paths, const ScanOptions& options) {
    const unsigned threads = options.threads == 0 ? default_threads() : options.threads;
    Known known(options);
    ProgressOfScan* told = nullptr;
    CollectionOptions collection = collection_options(options, threads, known);
    collection.expanded = [&told](std::uint64_t bytes) { told->opened(bytes); };
    InputWalk walk(paths, std::move(collection));
    ProgressOfScan progress(options, walk);
    told = &progress;
    Coverage coverage;
    std::size_t argument = 0; // all paths before it are read
    bool found = false;       // something in the path that is being read
    Copies copies(options.depth);
    const auto close_arguments_before = [&](std::size_t next) {
        for (; argument < next; ++argument, found = false) {
            if (!found && options.shard.count == 1) { // a part may be empty
                coverage.files.push_back(empty_input(paths[argument], walk.kind_of(argument)));
            }
        }
    };
    for (;;) {
        std::vector<InputItem> batch = next_batch(walk, options.limits, coverage);
        if (batch.empty()) {
            break;
        }
        progress.begin(batch);
        std::vector<std::vector<OpenFile>> opened(batch.size());
        const bool alone =
            paths.size() == 1 && batch[0].path == paths[0] && !batch[0].member; // one file has no copies: it need not be hashed
        parallel_for(batch.size(), threads, [&](std::size_t i) {
            if (!batch[i].is_known) {
                opened[i] = open_item(batch[i], options, batch.size() == 1 ? threads : 1);
                if (!alone) {
                    std::ranges::for_each(opened[i], [&](OpenFile& of_item) { copies.identify(of_item); });
                }
            }
        });
        copies.mark(opened);
        std::vector<FileCoverage> files = finish(opened, options, threads, &progress);
        auto file = files.begin();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            close_arguments_before(batch[i].argument);
            found = found || !opened[i].empty();
            if (batch[i].is_known) {
                Coverage before = known.take(batch[i].path);
                found = found || !before.files.empty();
                std::ranges::move(before.files, std::back_inserter(coverage.files));
                std::ranges::move(before.texts, std::back_inserter(coverage.texts));
            }
            for (std::size_t k = 0; k < opened[i].size(); ++k) {
                coverage.files.push_back(copies.place(opened[i][k], std::move(*file++), coverage.files));
            }
        }
        progress.end(coverage.files.size(), batch.back().argument);
    }
    close_arguments_before(paths.size());
    return coverage;
}

Coverage scan_bytes(std::span<const std::byte> bytes, const std::string& name, const ScanOptions& options) {
    const unsigned threads = options.threads == 0 ? default_threads() : options.threads;
    InputItem item;
    item.path = name;
    item.size = bytes.size();
    item.open = [bytes]() -> Result<std::shared_ptr<const ByteSource>> { return std::make_shared<MemorySource>(bytes); };
    std::vector<std::vector<OpenFile>> opened;
    opened.push_back(open_item(item, options, threads));
    Coverage coverage;
    coverage.files = finish(opened, options, threads, nullptr);
    return coverage;
}

} // namespace cag
