// Copies of CUDA's libraries and compilers, and caches.
#include "survey/inventory.hpp"
#include "survey/text.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace cag {
namespace {

struct Kind {
    const char* begins; // of the file's name
    const char* kind;
};

constexpr std::array<Kind, 7> kinds{{{"libnvrtc-builtins.so", "nvrtc-builtins"},
                                     {"libnvrtc.so", "nvrtc"},
                                     {"libnvJitLink.so", "nvjitlink"},
                                     {"libcudart.so", "cudart"},
                                     {"libnvvm.so", "nvvm"},
                                     {"libcudnn.so", "cudnn"},
                                     {"libcuda.so", "libcuda"}}};

const char* kind_of(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    for (const Kind& row : kinds) {
        if (name.substr(0, std::string_view(row.begins).size()) == row.begins) {
            return row.kind;
        }
    }
    return nullptr;
}

// libnvrtc.so.13.0.88 -> 13.0; a name with the major alone does not say.
std::optional<CudaVersion> version_in_name(std::string_view path) {
    const auto at = path.find(".so.", path.find_last_of('/'));
    return at == std::string_view::npos ? std::nullopt : release_in(path.substr(at + 4));
}

void add_library(const Host& host, std::vector<CudaFile>& files, const std::string& path, const std::string& owner,
                 std::string_view version) {
    const char* kind = kind_of(path);
    if (kind == nullptr) {
        return;
    }
    const std::string file = resolved(host, path);
    const auto is_same = [&](const CudaFile& other) { return other.kind == kind && resolved(host, other.path) == file; };
    if (std::none_of(files.begin(), files.end(), is_same)) {
        const auto named = version_in_name(file);
        files.push_back({kind, path, named ? named : release_in(version), owner});
    }
}

void walk(const Host& host, const std::string& folder, CacheFolder& cache, int depth) {
    constexpr std::size_t enough = 20000;
    for (const std::string& name : entries(host, folder)) {
        const std::string path = folder + "/" + name;
        if (cache.files.size() >= enough || depth > 6) {
            return;
        }
        if (is_folder(host, path)) {
            walk(host, path, cache, depth + 1);
        } else if (holds(name, ".cubin") || holds(name, ".so") || holds(name, ".fatbin")) {
            cache.files.push_back(path);
        }
    }
}

bool writable(const Host& host, std::string path) {
    while (!path.empty() && !exists(host, path)) {
        path = path.substr(0, path.find_last_of('/'));
    }
    return ::access(real_path(host, path.empty() ? "/" : path).c_str(), W_OK) == 0;
}

} // namespace

std::vector<CudaFile> find_cuda_files(const Host& host, const Inventory& inventory) {
    std::vector<CudaFile> files;
    // In the order of the loader: LD_LIBRARY_PATH, then the system's folders, then the toolkits and the packages, which find their own.
    std::vector<std::string> folders;
    const std::string loader_path = variable(host, "LD_LIBRARY_PATH");
    for (const std::string_view folder : split(loader_path, ':')) {
        folders.emplace_back(folder);
    }
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
        folders.emplace_back(folder);
    }
    for (const Toolkit& toolkit : inventory.toolkits) {
        folders.push_back(toolkit.folder + "/lib64");
        folders.push_back(toolkit.folder + "/nvvm/lib64");
    }
    for (const std::string& folder : folders) {
        for (const std::string& name : folder.empty() ? std::vector<std::string>{} : entries(host, folder)) {
            add_library(host, files, folder + "/" + name, "", "");
        }
    }
    for (const Toolkit& toolkit : inventory.toolkits) {
        const std::string ptxas = toolkit.folder + "/bin/ptxas";
        if (exists(host, ptxas)) {
            const auto inside = release_in(release_inside(host, ptxas));
            files.push_back({"ptxas", ptxas, inside ? inside : toolkit.version, ""});
        }
    }
    for (const PythonEnvironment& python : inventory.pythons) {
        for (const PythonPackage& package : python.packages) {
            const std::string owner = package.name + " " + package.version;
            for (const std::string& path : package.libraries) {
                add_library(host, files, path, owner, package.version);
            }
            for (const std::string& path : package.others) {
                if (holds(path.substr(path.find_last_of('/')), "ptxas")) {
                    files.push_back({"ptxas", path, release_in(release_inside(host, path)), owner});
                }
            }
        }
    }
    return files;
}

std::vector<CacheFolder> find_caches(const Host& host) {
    const std::string home = variable(host, "HOME").empty() ? "/root" : variable(host, "HOME");
    const auto place = [&](const char* name, const std::string& otherwise) {
        const std::string value = variable(host, name);
        return value.empty() ? otherwise : value;
    };
    std::vector<CacheFolder> caches{{"CUDA JIT", place("CUDA_CACHE_PATH", home + "/.nv/ComputeCache"), true, {}},
                                    {"Triton", place("TRITON_CACHE_DIR", home + "/.triton/cache"), true, {}},
                                    {"PyTorch extensions", place("TORCH_EXTENSIONS_DIR", home + "/.cache/torch_extensions"), true, {}},
                                    {"CuPy", place("CUPY_CACHE_DIR", home + "/.cupy/kernel_cache"), true, {}},
                                    {"FlashInfer", place("FLASHINFER_WORKSPACE_BASE", home) + "/.cache/flashinfer", true, {}}};
    for (CacheFolder& cache : caches) {
        cache.writable = writable(host, cache.path);
        walk(host, cache.path, cache, 0);
    }
    return caches;
}

Inventory take_inventory(const Host& host, const std::vector<std::string>& pythons) {
    Inventory inventory;
    inventory.pythons = find_pythons(host, pythons);
    inventory.toolkits = find_toolkits(host, inventory.pythons);
    inventory.compilers = find_compilers(host);
    inventory.files = find_cuda_files(host, inventory);
    inventory.caches = find_caches(host);
    return inventory;
}

} // namespace cag
