// The same list of targets in the spelling of each build tool.
#include "arch/spec.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cag {
namespace {

struct Codes {
    bool sass = false;
    bool ptx = false;
};

using ByArch = std::map<Arch, Codes>; // in order

ByArch by_arch(const ArchList& list) {
    ByArch archs;
    for (const Target& target : list.targets) {
        (target.code == Code::sass ? archs[target.arch].sass : archs[target.arch].ptx) = true;
    }
    return archs;
}

std::string variant_letter(Arch arch) { return to_string(arch).substr(std::to_string(arch.number()).size()); }

// "9.0a"
std::string dotted(Arch arch) { return to_string(arch.capability()) + variant_letter(arch); }

// Most tools cannot build PTX without the SASS of the same number.
void note_added_sass(std::vector<std::string>& notes, const char* tool, Arch arch) {
    notes.push_back(fmt::format("{0} cannot ask for PTX of {1} alone: SASS of {1} is built too", tool, to_string(arch)));
}

GencodeText nvcc(const ByArch& archs) {
    std::vector<std::string> flags;
    for (const auto& [arch, codes] : archs) {
        if (codes.sass) {
            flags.push_back(fmt::format("-gencode=arch=compute_{0},code=sm_{0}", to_string(arch)));
        }
        if (codes.ptx) {
            flags.push_back(fmt::format("-gencode=arch=compute_{0},code=compute_{0}", to_string(arch)));
        }
    }
    return {fmt::format("{}", fmt::join(flags, " ")), {}};
}

GencodeText cmake(const ByArch& archs) {
    std::vector<std::string> items;
    for (const auto& [arch, codes] : archs) {
        items.push_back(to_string(arch) + (!codes.ptx ? "-real" : !codes.sass ? "-virtual" : ""));
    }
    return {fmt::format("{}", fmt::join(items, ";")), {}};
}

GencodeText torch(const ByArch& archs) {
    GencodeText result;
    std::vector<std::string> items;
    for (const auto& [arch, codes] : archs) {
        items.push_back(dotted(arch) + (codes.ptx ? "+PTX" : ""));
        if (!codes.sass) {
            note_added_sass(result.notes, "TORCH_CUDA_ARCH_LIST", arch);
        }
    }
    result.text = fmt::format("{}", fmt::join(items, ";"));
    return result;
}

// compute_90 asks for SASS and PTX there, sm_90 for SASS only.
GencodeText tensorflow(const ByArch& archs) {
    GencodeText result;
    std::vector<std::string> items;
    for (const auto& [arch, codes] : archs) {
        items.push_back((codes.ptx ? "compute_" : "sm_") + to_string(arch));
        if (!codes.sass) {
            note_added_sass(result.notes, "TensorFlow's list", arch);
        }
    }
    result.text = fmt::format("{}", fmt::join(items, ","));
    return result;
}

// Whether clang embeds PTX by itself depends on its version, so it is always said.
GencodeText clang(const ByArch& archs) {
    GencodeText result;
    std::vector<std::string> flags;
    for (const auto& [arch, codes] : archs) {
        flags.push_back("--cuda-gpu-arch=sm_" + to_string(arch));
        if (!codes.sass) {
            note_added_sass(result.notes, "clang", arch);
        }
    }
    flags.emplace_back("--no-cuda-include-ptx=all");
    for (const auto& [arch, codes] : archs) {
        if (codes.ptx) {
            flags.push_back("--cuda-include-ptx=sm_" + to_string(arch));
        }
    }
    result.text = fmt::format("{}", fmt::join(flags, " "));
    return result;
}

// Which toolkits build all targets: said where nobody named one.
std::string toolkits_for(const ArchList& list) {
    std::vector<CudaVersion> able;
    for (const data::Toolkit& toolkit : data::toolkits()) {
        if (std::all_of(list.targets.begin(), list.targets.end(), [&](const Target& target) {
                const auto& archs = target.code == Code::sass ? toolkit.real : toolkit.virtual_archs;
                return std::find(archs.begin(), archs.end(), target.arch) != archs.end();
            })) {
            able.push_back(toolkit.release);
        }
    }
    if (able.empty()) {
        return "no toolkit builds all of these: build the oldest and the newest apart, each with a toolkit that knows them";
    }
    if (able.back() == data::toolkits().back().release) {
        return fmt::format("built by CUDA {} and newer", to_string(able.front()));
    }
    return fmt::format("built by CUDA {} to {} only", to_string(able.front()), to_string(able.back()));
}

} // namespace

std::optional<GencodeStyle> parse_gencode_style(std::string_view text) {
    constexpr std::pair<std::string_view, GencodeStyle> styles[] = {{"nvcc", GencodeStyle::nvcc},
                                                                    {"cmake", GencodeStyle::cmake},
                                                                    {"torch", GencodeStyle::torch},
                                                                    {"tensorflow", GencodeStyle::tensorflow},
                                                                    {"clang", GencodeStyle::clang}};
    for (const auto& [name, style] : styles) {
        if (name == text) {
            return style;
        }
    }
    return std::nullopt;
}

Result<GencodeText> gencode_flags(const ArchList& list, GencodeStyle style, std::optional<CudaVersion> toolkit) {
    const ByArch archs = by_arch(list);
    GencodeText result;
    switch (style) {
    case GencodeStyle::nvcc:
        result = nvcc(archs);
        break;
    case GencodeStyle::cmake:
        result = cmake(archs);
        break;
    case GencodeStyle::torch:
        result = torch(archs);
        break;
    case GencodeStyle::tensorflow:
        result = tensorflow(archs);
        break;
    case GencodeStyle::clang:
        result = clang(archs);
        break;
    }
    if (!toolkit) {
        result.notes.push_back(toolkits_for(list));
        return result;
    }
    // Asked again as a list of the toolkit's: the refusal, with its advice, is the same.
    std::string specs;
    for (const Target& target : list.targets) {
        specs += to_string(target) + ";";
    }
    ArchSpecOptions options;
    options.toolkit = toolkit;
    if (const auto checked = parse_arch_list(specs, options); !checked) {
        return tl::unexpected(checked.error());
    }
    return result;
}

} // namespace cag
