#include "report/gaps.hpp"

#include "coverage/device_link.hpp"
#include "policy/subject.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cag {
namespace {

bool is_specialised_module(const Module& module) {
    return std::all_of(module.images.begin(), module.images.end(),
                       [](const Image& image) { return image.kind == ImageKind::ltoir || image.arch.variant != Variant::plain; });
}

} // namespace

void add(Cells& cells, const Image& image) {
    Cell& cell = cells[image.arch];
    cell.sass |= image.kind == ImageKind::sass;
    cell.ptx |= image.kind == ImageKind::ptx;
    cell.ltoir |= image.kind == ImageKind::ltoir;
}

bool is_leftover(const FileCoverage& file, const Module& module) {
    const auto is_input = [](const Module& other) { return other.kind == ModuleKind::relocatable; };
    return holds_nothing(module) && !(module.kind == ModuleKind::linked && std::any_of(file.modules.begin(), file.modules.end(), is_input));
}

Cells cells_of(const Module& module) {
    Cells cells;
    for (const Image& image : module.images) {
        if (image.kind != ImageKind::unknown) {
            add(cells, image);
        }
    }
    return cells;
}

bool is_in_gap(const std::vector<Gap>& gaps, std::size_t module, Arch arch) {
    return std::any_of(gaps.begin(), gaps.end(), [&](const Gap& gap) {
        return gap.arch == arch && std::binary_search(gap.modules.begin(), gap.modules.end(), module);
    });
}

std::vector<Gap> gaps_of(const FileCoverage& file) {
    std::vector<Gap> gaps;
    for (const ModuleKind kind : {ModuleKind::registered, ModuleKind::relocatable}) {
        std::vector<std::pair<std::size_t, Cells>> compared;
        std::set<Arch> archs;
        for (std::size_t i = 0; i < file.modules.size(); ++i) {
            const Module& module = file.modules[i];
            if (module.kind != kind || is_leftover(file, module) || is_specialised_module(module) || is_device_runtime(module)) {
                continue;
            }
            compared.emplace_back(i, cells_of(module));
            for (const auto& [arch, cell] : compared.back().second) {
                if (cell.sass && arch.variant == Variant::plain) {
                    archs.insert(arch);
                }
            }
        }
        for (const Arch arch : archs) {
            Gap gap{arch, {}, compared.size()};
            for (const auto& [module, cells] : compared) {
                const auto cell = cells.find(arch);
                if (cell == cells.end() || !cell->second.sass) {
                    gap.modules.push_back(module);
                }
            }
            if (!gap.modules.empty() && gap.modules.size() * 2 <= gap.of) {
                gaps.push_back(std::move(gap));
            }
        }
    }
    return gaps;
}

} // namespace cag
