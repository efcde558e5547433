// CUDA toolkits and host compilers. A toolkit's release is read from its files, so that it is known for machines whose programs do not run
// here.
#include "input/file.hpp"
#include "survey/inventory.hpp"
#include "survey/text.hpp"

#include <algorithm>
#include <array>

namespace cag {
namespace {

std::string parent(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

// 13000 in "#define CUDART_VERSION  13000".
std::optional<std::string> version_in_header(const Host& host, const std::string& folder) {
    for (const char* header : {"/include/cuda_runtime_api.h", "/targets/x86_64-linux/include/cuda_runtime_api.h"}) {
        const auto text = read_text(host, folder + header);
        const auto number = text ? number_in<unsigned>(after(*text, "#define CUDART_VERSION")) : std::nullopt;
        if (number) {
            return std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
        }
    }
    return std::nullopt;
}

std::string toolkit_version(const Host& host, const Toolkit& toolkit) {
    if (std::string inside = release_inside(host, toolkit.nvcc); !inside.empty()) {
        return inside;
    }
    if (const auto text = read_text(host, toolkit.folder + "/version.txt")) { // up to 10.2: "CUDA Version 10.1.243"
        return std::string(after(*text, "CUDA Version"));
    }
    if (const auto text = read_text(host, toolkit.folder + "/version.json")) { // {"cuda": {"name": ..., "version": "12.4.1"}
        const std::string_view version = after(*text, "\"version\"");
        const auto quote = version.find('"');
        if (quote != std::string_view::npos) {
            return std::string(version.substr(quote + 1, version.find('"', quote + 1) - quote - 1));
        }
    }
    return version_in_header(host, toolkit.folder).value_or("");
}

void add(const Host& host, std::vector<Toolkit>& toolkits, const std::string& nvcc, const char* found_by) {
    if (nvcc.empty() || !exists(host, nvcc)) {
        return;
    }
    Toolkit toolkit;
    toolkit.nvcc = nvcc;
    toolkit.folder = parent(parent(resolved(host, nvcc)));
    toolkit.found_by = found_by;
    const bool known = std::any_of(toolkits.begin(), toolkits.end(), [&](const Toolkit& other) { return other.folder == toolkit.folder; });
    if (!known) {
        toolkit.full_version = toolkit_version(host, toolkit);
        toolkit.version = release_in(toolkit.full_version);
        toolkits.push_back(std::move(toolkit));
    }
}

unsigned gcc_major(const Host& host, const std::string& compiler) {
    // Debian and Red Hat name the program after its version: gcc -> gcc-12, x86_64-linux-gnu-gcc-12.
    const std::string name = resolved(host, compiler);
    if (const auto number = number_in<unsigned>(name.substr(name.find_last_of('-') + 1))) {
        return *number;
    }
    unsigned newest = 0;
    const std::string prefix = parent(parent(name)); // .../bin/gcc
    for (const std::string& lib : {prefix + "/lib/gcc", std::string("/usr/lib/gcc")}) {
        for (const std::string& machine : entries(host, lib)) {
            for (const std::string& version : entries(host, lib + "/" + machine)) {
                newest = std::max(newest, number_in<unsigned>(version.substr(0, version.find('.'))).value_or(0));
            }
        }
        if (newest > 0) {
            return newest;
        }
    }
    return 0;
}

// /usr/lib/llvm-14/bin/clang -> 14
unsigned clang_major(const std::string& file) {
    constexpr std::string_view mark = "llvm-";
    const auto at = file.find(mark);
    const std::string rest = at == std::string::npos ? "" : file.substr(at + mark.size());
    return number_in<unsigned>(std::string_view(rest).substr(0, rest.find('/'))).value_or(0);
}

} // namespace

std::optional<CudaVersion> release_in(std::string_view version) {
    const auto parts = split(version, '.');
    const auto major = number_in<unsigned>(parts.front());
    const auto minor = parts.size() > 1 ? number_in<unsigned>(parts[1]) : std::nullopt;
    return major && minor ? std::optional(CudaVersion{*major, *minor}) : std::nullopt;
}

// Every program of the toolkit carries "Cuda compilation tools, release 12.8, V12.8.93".
std::string release_inside(const Host& host, const std::string& program) {
    const auto file = FileSource::open(real_path(host, program));
    if (!file) {
        return "";
    }
    constexpr std::string_view mark = ", V";
    constexpr std::string_view phrase = "Cuda compilation tools, release ";
    constexpr std::size_t block = std::size_t{1} << 20;
    constexpr std::size_t overlap = 64;
    std::string text(block + overlap, '\0');
    for (std::uint64_t offset = 0; offset < (*file)->size(); offset += block) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block + overlap, (*file)->size() - offset));
        if (!(*file)->read(offset, std::as_writable_bytes(std::span(text.data(), size)))) {
            return "";
        }
        const std::string_view seen(text.data(), size);
        for (auto found = seen.find(phrase); found != std::string_view::npos; found = seen.find(phrase, found + 1)) {
            const std::string_view rest = seen.substr(found + phrase.size(), overlap);
            const auto version = rest.find(mark);
            if (version != std::string_view::npos && rest.front() != '%') { // not the pattern that prints it
                const std::string_view number = rest.substr(version + mark.size());
                return std::string(number.substr(0, number.find_first_not_of("0123456789.")));
            }
        }
    }
    return "";
}

std::vector<Toolkit> find_toolkits(const Host& host, const std::vector<PythonEnvironment>& pythons) {
    std::vector<Toolkit> toolkits;
    add(host, toolkits, which(host, "nvcc"), "PATH");
    for (const char* name : {"CUDACXX", "CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"}) {
        const std::string value = variable(host, name);
        if (!value.empty()) {
            add(host, toolkits, std::string_view(name) == "CUDACXX" ? value : value + "/bin/nvcc", name);
        }
    }
    for (const std::string& nvcc : which_all(host, "nvcc")) {
        add(host, toolkits, nvcc, "PATH");
    }
    for (const char* folder : {"/usr/local", "/opt"}) {
        for (const std::string& name : entries(host, folder)) {
            if (name.substr(0, 4) == "cuda") {
                add(host, toolkits, std::string(folder) + "/" + name + "/bin/nvcc", "installed");
            }
        }
    }
    add(host, toolkits, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "installed");
    add(host, toolkits, "/usr/bin/nvcc", "installed");
    if (const std::string conda = variable(host, "CONDA_PREFIX"); !conda.empty()) {
        add(host, toolkits, conda + "/bin/nvcc", "conda");
    }
    for (const PythonEnvironment& python : pythons) {
        for (const std::string& folder : python.folders) {
            for (const std::string& name : entries(host, folder + "/nvidia")) {
                add(host, toolkits, folder + "/nvidia/" + name + "/bin/nvcc", "PyPI");
            }
        }
    }
    return toolkits;
}

std::vector<HostCompiler> find_compilers(const Host& host) {
    std::vector<HostCompiler> compilers;
    const auto add_compiler = [&](const std::string& path, const char* chosen_by) {
        if (path.empty() || !exists(host, path)) {
            return;
        }
        HostCompiler compiler;
        compiler.path = path;
        compiler.name = holds(path.substr(path.find_last_of('/') + 1), "clang") ? "clang" : "gcc";
        compiler.chosen_by = chosen_by;
        compiler.major = compiler.name == "gcc" ? gcc_major(host, path) : clang_major(resolved(host, path));
        compilers.push_back(std::move(compiler));
    };
    for (const char* name : {"NVCC_CCBIN", "CUDAHOSTCXX"}) {
        const std::string value = variable(host, name);
        add_compiler(value.empty() || value.front() == '/' ? value : which(host, value), name);
    }
    if (compilers.empty()) {
        add_compiler(which(host, "gcc"), "PATH");
    }
    return compilers;
}

} // namespace cag
