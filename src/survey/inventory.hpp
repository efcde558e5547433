// What is installed on a machine besides its driver: toolkits, copies of CUDA's libraries and compilers, Python environments, caches.
// Everything is read from files; nothing is imported or run.
#pragma once

#include "survey/host.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cag {

// A CUDA toolkit: a folder with nvcc.
struct Toolkit {
    std::string folder; // links resolved
    std::string nvcc;
    std::string found_by; // "PATH", "CUDA_HOME", "installed", "PyPI", "conda"
    std::optional<CudaVersion> version;
    std::string full_version; // "13.0.88"
};

// A C++ compiler that nvcc would use.
struct HostCompiler {
    std::string path;
    std::string name;               // "gcc", "clang"
    unsigned major = 0;             // 0: not known
    std::string chosen_by = "PATH"; // or "CUDAHOSTCXX", "NVCC_CCBIN"
};

// A copy of a CUDA library or compiler, wherever it lies.
struct CudaFile {
    std::string kind; // "ptxas", "cudart", "nvrtc", "nvrtc-builtins", "nvjitlink", "nvvm", "cudnn", "libcuda"
    std::string path;
    std::optional<CudaVersion> version; // of its release; for cudnn the library's own
    std::string owner;                  // the package that brings it: "triton 3.6.0"; "" for a toolkit's or the system's
};

struct PythonPackage {
    std::string name; // as published: "torch"
    std::string version;
    std::string folder;                 // site-packages
    std::vector<std::string> libraries; // files that may hold device code, absolute inside the host
    std::vector<std::string> others;    // compilers that it brings
};

struct PythonEnvironment {
    std::string prefix;               // "/opt/torch/.venv"
    std::string found_by;             // "VIRTUAL_ENV", "PATH", "CONDA_PREFIX", "system"
    std::vector<std::string> folders; // site-packages
    std::vector<PythonPackage> packages;
};

// Something compiled for a GPU and kept for the next run.
struct CacheFolder {
    std::string kind; // "CUDA JIT", "Triton", "PyTorch extensions", "CuPy"
    std::string path;
    bool writable = true;           // by this user; a folder that does not exist yet counts as its parent
    std::vector<std::string> files; // that may hold device code
};

struct Inventory {
    std::vector<Toolkit> toolkits; // the first one is what `nvcc` means
    std::vector<HostCompiler> compilers;
    std::vector<CudaFile> files;
    std::vector<PythonEnvironment> pythons;
    std::vector<CacheFolder> caches;
};

// `pythons`: prefixes of environments to look at in place of those that are found.
[[nodiscard]] Inventory take_inventory(const Host& host, const std::vector<std::string>& pythons = {});

// The parts.
[[nodiscard]] std::vector<Toolkit> find_toolkits(const Host& host, const std::vector<PythonEnvironment>& pythons);
[[nodiscard]] std::vector<HostCompiler> find_compilers(const Host& host);
[[nodiscard]] std::vector<PythonEnvironment> find_pythons(const Host& host, const std::vector<std::string>& prefixes);
[[nodiscard]] std::vector<CudaFile> find_cuda_files(const Host& host, const Inventory& inventory);
[[nodiscard]] std::vector<CacheFolder> find_caches(const Host& host);

// "13.0.88" -> 13.0; nullopt where it does not begin with two numbers.
[[nodiscard]] std::optional<CudaVersion> release_in(std::string_view version);
// The release that a program of the toolkit (ptxas, nvcc) says of itself: "12.8.93"; "" where it does not.
[[nodiscard]] std::string release_inside(const Host& host, const std::string& program);

[[nodiscard]] const PythonPackage* find_package(const PythonEnvironment& environment, std::string_view name);

} // namespace cag
