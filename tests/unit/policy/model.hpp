// Hand-made coverages: what a binary holds, said in a line.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cag::test {

inline Image image(ImageKind kind, const char* arch, const std::vector<std::string>& kernels) {
    Image made;
    made.kind = kind;
    made.arch = parse_arch(arch).value();
    made.payload_read = true;
    made.size = 1000;
    made.expanded_size = 1000;
    made.toolkit = kind == ImageKind::sass ? "13.0" : "";
    if (kind == ImageKind::ptx) {
        made.ptx_isa = PtxIsa{9, 0};
    }
    for (const std::string& name : kernels) {
        made.kernels.push_back({name, kind == ImageKind::sass ? 256U : 0U, {}, KernelBody::code});
    }
    return made;
}

inline Image sass(const char* arch, const std::vector<std::string>& kernels = {"k"}) { return image(ImageKind::sass, arch, kernels); }
inline Image ptx(const char* arch, const std::vector<std::string>& kernels = {"k"}) { return image(ImageKind::ptx, arch, kernels); }
inline Image ltoir(const char* arch) { return image(ImageKind::ltoir, arch, {}); }

inline Image relocatable(Image made) {
    made.relocatable = true;
    return made;
}

// What every host link by nvcc leaves: a cubin without kernels, functions and variables.
inline Image stub(const char* arch = "75") {
    Image made = sass(arch, {});
    made.empty = true;
    return made;
}

inline Module module(ModuleKind kind, std::vector<Image> images) {
    Module made;
    made.kind = kind;
    made.section = kind == ModuleKind::relocatable ? "__nv_relfatbin" : ".nv_fatbin";
    made.images = std::move(images);
    return made;
}

// Modules lie one behind the other, 1000 bytes each, from offset 4096; relocatable ones went into the first linked one.
inline FileCoverage file(std::vector<Module> modules, const std::string& path = "libdemo.so", FileRole role = FileRole::loadable) {
    FileCoverage made;
    made.path = path;
    made.format = "elf";
    made.machine = "x86_64";
    made.role = role;
    for (std::size_t i = 0; i < modules.size(); ++i) {
        modules[i].index = i;
        modules[i].offset = 4096 + 1000 * i;
        modules[i].size = 1000;
    }
    const auto linked = std::find_if(modules.begin(), modules.end(), [](const Module& each) { return each.kind == ModuleKind::linked; });
    for (Module& input : modules) {
        if (input.kind == ModuleKind::relocatable && linked != modules.end()) {
            input.linked_by = linked->index;
        }
    }
    made.modules = std::move(modules);
    return made;
}

inline Module registered(std::vector<Image> images) { return module(ModuleKind::registered, std::move(images)); }

inline Coverage coverage(std::vector<Module> modules) { return {{file(std::move(modules))}}; }

} // namespace cag::test
