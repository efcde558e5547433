// `inspect` for people: what is missing, then a matrix of modules (or kernels) and architectures for each file.
#include "policy/fixes.hpp"
#include "policy/kernel_names.hpp"
#include "policy/subject.hpp"
#include "report/gaps.hpp"
#include "report/matrix.hpp"
#include "report/report.hpp"
#include "report/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cag {
namespace {

std::size_t kernel_count(const FileCoverage& file, const std::vector<std::size_t>& modules) {
    std::size_t count = 0;
    for (const std::size_t module : modules) {
        count += kernels_of(file, {module}).size();
    }
    return count;
}

std::string gaps_text(const FileCoverage& file, const std::vector<Gap>& gaps, const Style& style) {
    std::string text;
    for (const Gap& gap : gaps) {
        const auto kernels = kernels_of(file, gap.modules);
        text += wrapped(style, fmt::format("  {} ", marks::missing.painted(style)),
                        fmt::format("sm_{} is missing from {} of {}: {} {}{}", to_string(gap.arch), gap.modules.size(),
                                    counted(gap.of, "module"), gap.modules.size() == 1 ? "module" : "modules", ranges(gap.modules),
                                    kernels.empty() ? "" : printable(fmt::format(" ({})", list_kernels(kernels)))));
        for (const std::string& fix : fixes_for({gap.arch, Code::sass})) {
            text += wrapped(style, "      ", fix);
        }
    }
    return text.empty() ? text : text + '\n';
}

// The modules that have rows: what the link left over is counted in the summary, unless there is nothing else.
std::vector<std::size_t> shown_modules(const FileCoverage& file) {
    std::vector<std::size_t> all;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        all.push_back(i);
        if (!is_leftover(file, file.modules[i])) {
            shown.push_back(i);
        }
    }
    return shown.empty() ? all : shown;
}

std::vector<Arch> archs_of(const FileCoverage& file) {
    std::set<Arch> archs;
    for (const std::size_t module : shown_modules(file)) {
        for (const auto& entry : cells_of(file.modules[module])) {
            archs.insert(entry.first);
        }
    }
    return {archs.begin(), archs.end()};
}

const Mark* mark_for(const Cells& cells, Arch arch, bool expected) {
    const auto found = cells.find(arch);
    if (found == cells.end()) {
        return expected ? &marks::missing : &marks::none;
    }
    const Cell& cell = found->second;
    if (cell.sass && cell.ptx) {
        return &marks::sass_and_ptx;
    }
    if (cell.sass) {
        return &marks::sass;
    }
    if (cell.ptx) {
        return expected ? &marks::missing : &marks::ptx;
    }
    return cell.ltoir ? &marks::ltoir : &marks::none;
}

Matrix matrix_over(const std::vector<Arch>& archs, std::string corner) {
    Matrix matrix{std::move(corner), {}, {}};
    for (const Arch arch : archs) {
        matrix.columns.push_back(to_string(arch));
    }
    return matrix;
}

std::string module_text(const FileCoverage& file, const std::vector<std::size_t>& modules) {
    const Module& first = file.modules[modules.front()];
    const bool leftover = is_leftover(file, first);
    std::string numbers = ranges(modules);
    if (modules.size() == 1) {
        numbers = "module " + numbers;
    } else if (numbers.size() <= 12) {
        numbers = "modules " + numbers;
    } else {
        numbers = counted(modules.size(), "module"); // their numbers are in the JSON
    }
    std::string text = fmt::format("{} {}", numbers, to_string(first.kind));
    if (leftover) {
        text += ", empty";
    } else if (const std::size_t kernels = kernel_count(file, modules); kernels != 0) {
        text += ", " + counted(kernels, "kernel");
    }
    return text;
}

// Modules of one kind with the same architectures share a row.
Matrix module_matrix(const FileCoverage& file, const std::vector<std::size_t>& shown, const std::vector<Gap>& gaps) {
    const auto archs = archs_of(file);
    Matrix matrix = matrix_over(archs, "");
    using Key = std::pair<ModuleKind, std::vector<const Mark*>>;
    std::vector<std::pair<Key, std::vector<std::size_t>>> rows;
    for (const std::size_t i : shown) {
        const Cells cells = cells_of(file.modules[i]);
        std::vector<const Mark*> row;
        row.reserve(archs.size());
        for (const Arch arch : archs) {
            row.push_back(mark_for(cells, arch, is_in_gap(gaps, i, arch)));
        }
        Key key{file.modules[i].kind, std::move(row)};
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.first == key; });
        if (same == rows.end()) {
            rows.emplace_back(std::move(key), std::vector{i});
        } else {
            same->second.push_back(i);
        }
    }
    const auto lacks = [](const auto& row) {
        const auto& cells = row.first.second;
        return std::find(cells.begin(), cells.end(), &marks::missing) != cells.end();
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& left, const auto& right) { return lacks(left) && !lacks(right); });
    for (const auto& [key, modules] : rows) {
        matrix.rows.push_back({module_text(file, modules), key.second});
    }
    return matrix;
}

// A kernel is missing where its own module has an image for the architecture and the kernel is not in it, or where other modules have one.
Matrix kernel_matrix(const FileCoverage& file, std::size_t index, const std::vector<Arch>& archs, const std::vector<Gap>& gaps) {
    const Module& module = file.modules[index];
    Matrix matrix = matrix_over(archs, module_text(file, {index}));
    std::map<std::string, Cells> by_kernel;
    for (const Image& image : module.images) {
        for (const Kernel& kernel : image.kernels) {
            add(by_kernel[kernel.name], image);
        }
    }
    const Cells module_cells = cells_of(module);
    std::set<Arch> in_module;
    std::set<Arch> in_gap;
    for (const Arch arch : archs) {
        const auto own = module_cells.find(arch);
        if (own != module_cells.end() && (own->second.sass || own->second.ptx)) {
            in_module.insert(arch);
        }
        if (is_in_gap(gaps, index, arch)) {
            in_gap.insert(arch);
        }
    }
    for (const std::string& name : kernels_of(file, {index})) {
        Matrix::Row row{printable(demangled(name)), {}};
        const Cells& cells = by_kernel[name];
        for (const Arch arch : archs) {
            row.cells.push_back(mark_for(cells, arch, (in_module.contains(arch) && !cells.contains(arch)) || in_gap.contains(arch)));
        }
        matrix.rows.push_back(std::move(row));
    }
    std::stable_sort(matrix.rows.begin(), matrix.rows.end(), [](const auto& left, const auto& right) {
        const auto lacks = [](const auto& row) {
            return std::find(row.cells.begin(), row.cells.end(), &marks::missing) != row.cells.end();
        };
        return lacks(left) && !lacks(right);
    });
    return matrix;
}

std::string matrix_legend(const Matrix& matrix, const Style& style) {
    return legend(matrix,
                  {{&marks::sass, "SASS"},
                   {&marks::ptx, "PTX"},
                   {&marks::sass_and_ptx, "SASS and PTX"},
                   {&marks::ltoir, "LTO-IR (cannot be loaded)"},
                   {&marks::missing, "missing, though others have it"},
                   {&marks::none, "none"}},
                  style);
}

std::string arch_list(const FileCoverage& file, ImageKind kind) {
    std::set<Arch> archs;
    for (const Module& module : file.modules) {
        for (const Image& image : module.images) {
            if (image.kind == kind && !is_leftover(file, module)) {
                archs.insert(image.arch);
            }
        }
    }
    std::string text;
    for (const Arch arch : archs) {
        text += ' ' + to_string(arch);
    }
    return text;
}

std::string summary(const FileCoverage& file, const std::vector<Gap>& gaps, const Style& style) {
    std::size_t leftovers = 0;
    std::vector<std::size_t> modules;
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        if (is_leftover(file, file.modules[i])) {
            ++leftovers;
        } else {
            modules.push_back(i);
        }
    }
    std::string text = counted(modules.size(), "module");
    if (const std::size_t kernels = kernel_count(file, modules); kernels != 0) {
        text += ", " + counted(kernels, "kernel");
    }
    for (const auto& [kind, name] :
         {std::pair{ImageKind::sass, "SASS"}, std::pair{ImageKind::ptx, "PTX"}, std::pair{ImageKind::ltoir, "LTO-IR"}}) {
        if (const std::string archs = arch_list(file, kind); !archs.empty()) {
            text += fmt::format("; {}{}", name, archs);
        }
    }
    if (arch_list(file, ImageKind::ptx).empty() && !modules.empty()) {
        text += "; no PTX, so nothing here runs on GPUs of a later major version";
    }
    if (leftovers != 0) {
        text += fmt::format("; {} left by the host link", counted(leftovers, "empty module"));
    }
    const Mark& mark = !gaps.empty() ? marks::missing : file.problems.empty() ? marks::holds : marks::unknown;
    text += file.problems.empty() ? "" : "; a part could not be read";
    return wrapped(style, fmt::format("  {} ", mark.painted(style)), text);
}

std::string heading(const FileCoverage& file, const Style& style) {
    return fmt::format("{}  {}{}{}\n", paint(style, Ink::strong, printable(display_name(file))), file.format,
                       file.machine.empty() ? "" : " ", file.machine);
}

std::string problems_text(const FileCoverage& file, const Style& style) {
    std::string text;
    for (const Problem& problem : file.problems) {
        text += wrapped(style, fmt::format("  {} {} ", marks::fails.painted(style), problem.code),
                        printable(problem.message) + (problem.offset ? fmt::format(" (offset {})", *problem.offset) : ""));
    }
    return text;
}

std::string file_text(const FileCoverage& file, const InspectView& view, const Style& style) {
    const auto gaps = gaps_of(file);
    if (style.detail == Detail::brief) {
        return heading(file, style) + problems_text(file, style) + summary(file, gaps, style);
    }
    std::string text = heading(file, style) + problems_text(file, style) + gaps_text(file, gaps, style);
    Matrix all;
    const auto add = [&](const Matrix& matrix, bool labels_last) {
        text += to_text(matrix, style, labels_last) + '\n';
        all.rows.insert(all.rows.end(), matrix.rows.begin(), matrix.rows.end());
    };
    std::vector<std::size_t> without_kernels;
    const auto archs = archs_of(file);
    for (const std::size_t i : shown_modules(file)) {
        if (view.kernels && !kernels_of(file, {i}).empty()) {
            add(kernel_matrix(file, i, archs, gaps), true);
        } else {
            without_kernels.push_back(i);
        }
    }
    if (!without_kernels.empty()) {
        add(module_matrix(file, without_kernels, gaps), false);
    }
    text += matrix_legend(all, style);
    if (view.sizes) {
        text += sizes_text(file, style);
    }
    return text + summary(file, gaps, style);
}

} // namespace

std::string inspect_text(const Coverage& coverage, const InspectView& view, const Style& style) {
    std::string text;
    std::size_t without_code = 0;
    for (const FileCoverage& file : coverage.files) {
        if (file.modules.empty() && file.problems.empty() && coverage.files.size() > 1) {
            ++without_code;
            continue;
        }
        text += text.empty() ? "" : "\n";
        if (file.modules.empty()) {
            text += heading(file, style) + problems_text(file, style);
            text += file.problems.empty() ? "  no device code\n" : "";
        } else {
            text += file_text(file, view, style);
        }
    }
    if (without_code != 0) {
        text += fmt::format("{}{} without device code\n", text.empty() ? "" : "\n", counted(without_code, "file"));
    }
    return text.empty() ? "no files\n" : text;
}

} // namespace cag
