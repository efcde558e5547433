// The HTML report's matrices: files, modules and kernels over architectures and GPUs.
#include "policy/kernel_names.hpp"
#include "policy/subject.hpp"
#include "report/gaps.hpp"
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace cag {
namespace {

std::string cell(const char* style, const char* symbol, const char* label) {
    return fmt::format("<td class=\"c {}\" aria-label=\"{}\">{}", style, label, symbol);
}

std::string image_cell(const Cells& cells, Arch arch, bool expected) {
    const auto found = cells.find(arch);
    const Cell has = found == cells.end() ? Cell{} : found->second;
    if (has.sass) {
        return has.ptx ? cell("s", "◉", "SASS and PTX") : cell("s", "●", "SASS");
    }
    if (expected) {
        return cell("m", "✗", "missing");
    }
    return has.ptx ? cell("p", "○", "PTX") : has.ltoir ? cell("n", "◇", "LTO-IR") : cell("n", "·", "none");
}

struct OutcomeLook {
    const char* style;
    const char* symbol;
    const char* words;
};

OutcomeLook look_of(OutcomeKind kind) {
    switch (kind) {
    case OutcomeKind::sass:
        return {"s", "●", "runs from SASS"};
    case OutcomeKind::jit:
        return {"p", "○", "runs from PTX, compiled at load"};
    case OutcomeKind::fails:
        return {"m", "✗", "fails"};
    case OutcomeKind::unknown:
        break;
    }
    return {"u", "?", "not known"};
}

int badness(OutcomeKind kind) {
    return kind == OutcomeKind::fails ? 3 : kind == OutcomeKind::unknown ? 2 : kind == OutcomeKind::jit ? 1 : 0;
}

std::string gpu_heading(const PredictionRun& run) {
    return html_text((run.gpu.name.empty() ? to_string(run.gpu.capability) : run.gpu.name) + " / " + run.driver.name);
}

// What is asked of one report: its columns, and what the runs say of each module.
struct Page {
    const ScanReport& report;
    std::vector<Arch> archs;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const ModulePrediction*>> predictions; // by file and module: one a run
    std::size_t next_reason = 0;

    explicit Page(const ScanReport& scan) : report(scan) {
        std::set<Arch> all;
        for (const FileCoverage& file : scan.coverage.files) {
            for (const Module& module : file.modules) {
                if (!is_leftover(file, module)) {
                    for (const auto& entry : cells_of(module)) {
                        all.insert(entry.first);
                    }
                }
            }
        }
        archs.assign(all.begin(), all.end());
        for (std::size_t run = 0; run < scan.runs.size(); ++run) {
            for (const FilePrediction& file : scan.runs[run].prediction.files) {
                for (const ModulePrediction& module : file.modules) {
                    auto& of_module = predictions[{file.file, module.module}];
                    of_module.resize(scan.runs.size());
                    of_module[run] = &module;
                }
            }
        }
    }

    [[nodiscard]] std::string headings(const char* first) const {
        std::string html = fmt::format("<thead><tr><th scope=\"col\">{}", first);
        for (const Arch arch : archs) {
            html += fmt::format("<th scope=\"col\">{}", to_string(arch));
        }
        for (const PredictionRun& run : report.runs) {
            html += "<th scope=\"col\">" + gpu_heading(run);
        }
        return html + "</thead><tbody>\n";
    }

    // The worst outcome of each run, over these modules of a file.
    [[nodiscard]] std::string worst_cells(std::size_t file, const std::vector<std::size_t>& modules) const {
        std::string html;
        for (std::size_t run = 0; run < report.runs.size(); ++run) {
            const Outcome* worst = nullptr;
            for (const std::size_t module : modules) {
                const auto found = predictions.find({file, module});
                if (found == predictions.end() || found->second[run] == nullptr) {
                    continue;
                }
                for (const Outcome& outcome : found->second[run]->outcomes) {
                    worst = worst == nullptr || badness(outcome.kind) > badness(worst->kind) ? &outcome : worst;
                }
            }
            const auto look = worst == nullptr ? OutcomeLook{"n", "·", "not judged"} : look_of(worst->kind);
            html += cell(look.style, look.symbol, look.words);
        }
        return html;
    }
};

// The reasons of a module's outcomes, each told once.
class Reasons {
  public:
    explicit Reasons(Page& page) : page_(page) {}

    std::size_t number_of(const PredictionRun& run, const Outcome& outcome) {
        const std::string key =
            fmt::format("{}|{}|{}|{}|{}", gpu_heading(run), static_cast<int>(outcome.kind), outcome.error ? outcome.error->code : 0,
                        fmt::join(outcome.reasons, "|"), outcome.image ? to_string(outcome.image->arch) : "");
        const auto [entry, is_new] = known_.try_emplace(key, page_.next_reason);
        if (is_new) {
            tell(run, outcome, page_.next_reason++);
        }
        return entry->second;
    }

    [[nodiscard]] std::string html() const {
        return html_.empty() ? "" : "<p><strong>Why</strong></p>\n<ul class=\"why\">\n" + html_ + "</ul>\n";
    }

  private:
    void tell(const PredictionRun& run, const Outcome& outcome, std::size_t number) {
        html_ += fmt::format("<li id=\"why{}\">{}: {}{}{} <span class=\"quiet\">({})</span><ol>", number, gpu_heading(run),
                             look_of(outcome.kind).words, outcome.image ? " of " + to_string(outcome.image->arch) : "",
                             outcome.error ? html_text(fmt::format(", error {} ({})", outcome.error->code, outcome.error->name)) : "",
                             to_string(outcome.confidence));
        for (const std::string& reason : outcome.reasons) {
            html_ += "<li>" + html_text(reason);
        }
        for (const std::string& fix : outcome.fixes) {
            html_ += "<li>fix: " + html_text(fix);
        }
        html_ += "</ol>\n";
    }

    Page& page_;
    std::map<std::string, std::size_t> known_;
    std::string html_;
};

std::vector<std::string> kernel_names(const FileCoverage& file, std::size_t module,
                                      const std::vector<const ModulePrediction*>* predictions) {
    auto names = kernels_of(file, {module});
    std::set<std::string> known(names.begin(), names.end());
    // A program's kernels stand in its inputs, and its outcomes at the linked module.
    for (std::size_t run = 0; predictions != nullptr && run < predictions->size(); ++run) {
        for (std::size_t i = 0; (*predictions)[run] != nullptr && i < (*predictions)[run]->outcomes.size(); ++i) {
            if (const std::string& name = (*predictions)[run]->outcomes[i].kernel; known.insert(name).second) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::string module_html(Page& page, std::size_t file_index, std::size_t index, const std::vector<Gap>& gaps) {
    const FileCoverage& file = page.report.coverage.files[file_index];
    const Module& module = file.modules[index];
    const auto found = page.predictions.find({file_index, index});
    const auto* predictions = found == page.predictions.end() ? nullptr : &found->second;

    std::unordered_map<std::string, Cells> cells;
    for (const Image& image : module.images) {
        for (const Kernel& kernel : image.kernels) {
            add(cells[kernel.name], image);
        }
    }
    const Cells own = cells_of(module);
    std::vector<std::unordered_map<std::string_view, const Outcome*>> outcomes(page.report.runs.size());
    for (std::size_t run = 0; predictions != nullptr && run < outcomes.size(); ++run) {
        if ((*predictions)[run] != nullptr) {
            for (const Outcome& outcome : (*predictions)[run]->outcomes) {
                outcomes[run].emplace(outcome.kernel, &outcome);
            }
        }
    }

    Reasons reasons{page};
    std::string failing;
    std::string others;
    std::size_t failures = 0;
    const auto names = kernel_names(file, index, predictions);
    for (const std::string& name : names) {
        const auto known = cells.find(name);
        const Cells& of_kernel = known == cells.end() ? Cells{} : known->second;
        std::string row;
        bool fails = false;
        for (const Arch arch : page.archs) {
            const bool expected = is_in_gap(gaps, index, arch) ||
                                  (known != cells.end() && own.contains(arch) && own.at(arch).sass && !of_kernel.contains(arch));
            row += image_cell(of_kernel, arch, expected);
            fails = fails || (expected && page.report.runs.empty());
        }
        for (std::size_t run = 0; run < outcomes.size(); ++run) {
            const auto outcome = outcomes[run].find(name);
            if (outcome == outcomes[run].end()) {
                row += cell("n", "·", "not judged");
                continue;
            }
            const auto look = look_of(outcome->second->kind);
            fails = fails || outcome->second->kind == OutcomeKind::fails;
            row += fmt::format("<td class=\"c {}\"><a href=\"#why{}\" aria-label=\"{}: why\">{}</a>", look.style,
                               reasons.number_of(page.report.runs[run], *outcome->second), look.words, look.symbol);
        }
        const std::string readable = name.empty() ? "(all kernels)" : demangled(name);
        (fails ? failing : others) +=
            fmt::format("<tr class=\"k{}\"{}><th scope=\"row\" class=\"name\">{}{}\n", fails ? " x" : "",
                        readable == name ? "" : fmt::format(" title=\"{}\"", html_text(name)), html_text(readable), row);
        failures += fails ? 1U : 0U;
    }
    std::string html = fmt::format("<details class=\"module\"{}><summary>module {} <span class=\"quiet\">({}, {}{})</span></summary>\n", "",
                                   module.index, to_string(module.kind), counted(names.size(), "kernel"),
                                   failures == 0 ? "" : fmt::format(", {} of them fail or are missing", failures));
    html += "<div class=\"wide\"><table class=\"sortable\">" + page.headings("Kernel") + failing + others + "</tbody></table></div>\n";
    return html + reasons.html() + "</details>\n";
}

std::string modules_table(const Page& page, std::size_t file_index, const std::vector<std::size_t>& modules, const std::vector<Gap>& gaps) {
    const FileCoverage& file = page.report.coverage.files[file_index];
    std::string html = "<div class=\"wide\"><table class=\"sortable\">" + page.headings("Module");
    for (const std::size_t index : modules) {
        const Module& module = file.modules[index];
        const Cells cells = cells_of(module);
        html += fmt::format("<tr><th scope=\"row\" data-value=\"{}\">module {}, {}", module.index, module.index, to_string(module.kind));
        for (const Arch arch : page.archs) {
            html += image_cell(cells, arch, is_in_gap(gaps, index, arch));
        }
        html += page.worst_cells(file_index, {index}) + '\n';
    }
    return html + "</tbody></table></div>\n";
}

std::vector<std::size_t> shown_modules(const FileCoverage& file) {
    std::vector<std::size_t> modules;
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        if (!is_leftover(file, file.modules[i])) {
            modules.push_back(i);
        }
    }
    return modules;
}

} // namespace

std::string html_overview(const ScanReport& report) {
    const Page page{report};
    std::string html =
        "<section aria-labelledby=\"overview\"><h2 id=\"overview\">Files, architectures and GPUs</h2>\n<p class=\"quiet\">● SASS "
        "&nbsp; ◉ SASS and PTX &nbsp; ○ PTX, compiled at load &nbsp; ✗ missing or fails &nbsp; ? not known &nbsp; · none</p>\n"
        "<div class=\"wide\"><table class=\"sortable\">" +
        page.headings("File");
    for (std::size_t f = 0; f < report.coverage.files.size(); ++f) {
        const FileCoverage& file = report.coverage.files[f];
        const auto modules = shown_modules(file);
        if (modules.empty()) {
            continue;
        }
        const auto gaps = gaps_of(file);
        Cells cells;
        for (const std::size_t module : modules) {
            for (const Image& image : file.modules[module].images) {
                add(cells, image);
            }
        }
        html += fmt::format("<tr><th scope=\"row\"><a href=\"#file{}\">{}</a>", f, html_text(display_name(file)));
        for (const Arch arch : page.archs) {
            const bool in_gap = std::any_of(gaps.begin(), gaps.end(), [&](const Gap& gap) { return gap.arch == arch; });
            html += in_gap ? cell("m", "✗", "missing from some modules") : image_cell(cells, arch, false);
        }
        html += page.worst_cells(f, modules) + '\n';
    }
    return html + "</tbody></table></div></section>\n";
}

std::string html_sizes(const Coverage& coverage) {
    std::map<std::pair<Arch, ImageKind>, std::pair<std::size_t, std::uint64_t>> sums; // images, stored bytes
    std::uint64_t most = 1;
    for (const FileCoverage& file : coverage.files) {
        for (const Module& module : file.modules) {
            for (const Image& image : module.images) {
                auto& [count, bytes] = sums[{image.arch, image.kind}];
                ++count;
                bytes += image.size;
                most = std::max(most, bytes);
            }
        }
    }
    std::string html = "<section aria-labelledby=\"sizes\"><h2 id=\"sizes\">Bytes for each architecture</h2>\n<div class=\"wide\"><table "
                       "class=\"sortable bars\"><thead><tr><th scope=\"col\">Architecture<th scope=\"col\">Kind<th scope=\"col\">Images<th "
                       "scope=\"col\">Stored<th scope=\"col\">Share of the largest</thead><tbody>\n";
    for (const auto& [key, sum] : sums) {
        const double share = 100.0 * static_cast<double>(sum.second) / static_cast<double>(most);
        html +=
            fmt::format("<tr><td>{}<td>{}<td class=\"number\" data-value=\"{}\">{}<td class=\"number\" data-value=\"{}\">{}<td "
                        "data-value=\"{:.1f}\"><span class=\"bar\" style=\"width:{:.1f}%\"></span>\n",
                        to_string(key.first), to_string(key.second), sum.first, sum.first, sum.second, byte_size(sum.second), share, share);
    }
    return html + "</tbody></table></div></section>\n";
}

std::string html_files(const ScanReport& report) {
    Page page{report};
    std::string html =
        "<section aria-labelledby=\"drill\"><h2 id=\"drill\">From file to kernel</h2>\n<div class=\"controls\"><label>Filter kernels "
        "<input type=\"search\" id=\"search\" placeholder=\"part of a name; / to get here\"></label>"
        "<label><input type=\"checkbox\" id=\"failing\"> only failing or missing</label>"
        "<button type=\"button\" id=\"open\">Open all</button><button type=\"button\" id=\"close\">Close all</button>"
        "<span id=\"count\" role=\"status\"></span></div>\n";
    for (std::size_t f = 0; f < report.coverage.files.size(); ++f) {
        const FileCoverage& file = report.coverage.files[f];
        const auto modules = shown_modules(file);
        if (modules.empty()) {
            continue;
        }
        const auto gaps = gaps_of(file);
        html += fmt::format("<details class=\"file\" id=\"file{}\"{}><summary>{} <span class=\"quiet\">({}, {})</span></summary>\n", f,
                            report.coverage.files.size() <= 3 ? " open" : "", html_text(display_name(file)), html_text(file.format),
                            counted(modules.size(), "module"));
        html += modules_table(page, f, modules, gaps);
        for (const std::size_t index : modules) {
            html += module_html(page, f, index, gaps);
        }
        html += "</details>\n";
    }
    return html + "</section>\n";
}

} // namespace cag
