// `diff` in its three forms: for people, for programs, and as Markdown for a pull request.
#include "policy/kernel_names.hpp"
#include "report/json_model.hpp"
#include "report/markdown.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {
namespace {

const char* phrase(Change change) {
    switch (change) {
    case Change::lost:
        return "no longer runs on";
    case Change::doubtful:
        return "may no longer run on";
    case Change::compiled:
        return "runs by compiling PTX now, which starts slower, on";
    case Change::won:
        return "now runs on";
    case Change::compiled_no_more:
        return "runs without compiling PTX now on";
    }
    return "";
}

const Mark& mark_of(Change change) {
    switch (change) {
    case Change::lost:
        return marks::fails;
    case Change::won:
    case Change::compiled_no_more:
        return marks::holds;
    default:
        return marks::warning;
    }
}

std::string gpus_text(const DiffGroup& group) {
    std::vector<std::string> names;
    for (const auto& [gpu, driver] : group.on) {
        names.push_back(gpu.name.empty() ? to_string(gpu.capability) : fmt::format("{} ({})", gpu.name, to_string(gpu.capability)));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string kernels_text(const std::vector<std::string>& kernels) {
    const bool named = std::none_of(kernels.begin(), kernels.end(), [](const std::string& name) { return name.empty(); });
    return named ? fmt::format("{}: {}", counted(kernels.size(), "kernel"), list_kernels(kernels)) : "all kernels";
}

std::string title(const FileDiff& file, const DiffView& view) {
    const std::string name = file.name.empty() ? view.after : file.name;
    return name + (!file.before             ? " (new)"
                   : !file.after            ? " (gone)"
                   : !file.old_name.empty() ? fmt::format(" (was {})", file.old_name)
                                            : "");
}

bool is_equal(const FileDiff& file) {
    return file.groups.empty() && file.kernels_gone.empty() && file.kernels_new.empty() && file.before && file.after;
}

std::string file_text(const FileDiff& file, const DiffView& view, const Style& style) {
    std::string text = paint(style, Ink::strong, printable(title(file, view))) + '\n';
    for (const DiffGroup& group : file.groups) {
        text += wrapped(style, fmt::format("  {} ", mark_of(group.change).painted(style)),
                        printable(fmt::format("{} {}: {}", phrase(group.change), gpus_text(group), kernels_text(group.kernels))));
        if (group.change == Change::lost || group.change == Change::doubtful) {
            for (const std::string& reason : group.reasons) {
                text += wrapped(style, "      why: ", printable(reason));
            }
            for (const std::string& fix : group.fixes) {
                text += wrapped(style, "      fix: ", printable(fix));
            }
        }
    }
    if (!file.kernels_gone.empty() && file.after) {
        text += wrapped(style, "  - ", printable("gone, " + kernels_text(file.kernels_gone)));
    }
    if (!file.kernels_new.empty() && file.before) {
        text += wrapped(style, "  + ", printable("new, " + kernels_text(file.kernels_new)));
    }
    return text + '\n';
}

std::string headline(const Diff& diff) {
    if (loses_a_gpu(diff)) {
        return "a GPU is lost";
    }
    const auto gone = std::count_if(diff.files.begin(), diff.files.end(), [](const FileDiff& file) { return !file.after; });
    const bool any = std::any_of(diff.files.begin(), diff.files.end(), [](const FileDiff& file) { return !file.groups.empty(); });
    return gone > 0 ? fmt::format("{} gone; what is in both loses no GPU", gone == 1 ? "a file is" : fmt::format("{} files are", gone))
           : loses_kernels(diff) ? "kernels are gone; those in both lose no GPU"
           : any                 ? "no GPU is lost"
                                 : "no difference on any GPU asked about";
}

const Mark& verdict(const Diff& diff) { return loses_a_gpu(diff) ? marks::fails : loses_kernels(diff) ? marks::warning : marks::holds; }

} // namespace

std::string diff_text(const Diff& diff, const DiffView& view, const Style& style) {
    if (diff.files.empty()) {
        return "no device code on either side\n";
    }
    const Mark& mark = verdict(diff);
    std::string text = fmt::format("{} {}\n\n", mark.painted(style), paint(style, mark.ink, headline(diff)));
    std::size_t equal = 0;
    for (const FileDiff& file : diff.files) {
        if (is_equal(file)) {
            ++equal;
        } else {
            text += file_text(file, view, style);
        }
    }
    return text + fmt::format("{} compared on {}, {} without a difference\n", counted(diff.files.size(), "file"), counted(view.gpus, "GPU"),
                              equal);
}

std::string diff_markdown(const Diff& diff, const DiffView& view) {
    std::string text = fmt::format("## {} cuda-arch-guard diff: {}\n\n",
                                   loses_a_gpu(diff)     ? "❌"
                                   : loses_kernels(diff) ? "⚠️"
                                                         : "✅",
                                   headline(diff));
    std::string rows;
    for (const FileDiff& file : diff.files) {
        for (const DiffGroup& group : file.groups) {
            rows += fmt::format("| {} | {} {} | {} |\n", markdown_escaped(title(file, view)), phrase(group.change),
                                markdown_escaped(gpus_text(group)), markdown_escaped(kernels_text(group.kernels)));
        }
    }
    return rows.empty() ? text : text + "| file | change | kernels |\n|---|---|---|\n" + rows;
}

std::string diff_json(const Diff& diff, const DiffView& view) {
    using nlohmann::ordered_json;
    ordered_json document = json_envelope("diff");
    document["before"] = view.before;
    document["after"] = view.after;
    document["loses_a_gpu"] = loses_a_gpu(diff);
    document["loses_kernels"] = loses_kernels(diff);
    document["files"] = ordered_json::array();
    for (const FileDiff& file : diff.files) {
        ordered_json json{{"path", file.name},
                          {"old_path", file.old_name.empty() ? ordered_json(nullptr) : ordered_json(file.old_name)},
                          {"in_before", file.before.has_value()},
                          {"in_after", file.after.has_value()}};
        json["changes"] = ordered_json::array();
        for (const DiffGroup& group : file.groups) {
            ordered_json on = ordered_json::array();
            for (const auto& [gpu, driver] : group.on) {
                on.push_back({{"gpu", to_string(gpu.capability)}, {"driver", driver.name}});
            }
            json["changes"].push_back({{"change", to_string(group.change)},
                                       {"on", on},
                                       {"kernels", group.kernels},
                                       {"reasons", group.reasons},
                                       {"fixes", group.fixes}});
        }
        json["kernels_gone"] = file.kernels_gone;
        json["kernels_new"] = file.kernels_new;
        document["files"].push_back(std::move(json));
    }
    return json_text(document);
}

} // namespace cag
