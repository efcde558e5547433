#include "report/sizes.hpp"

#include "policy/checks.hpp"
#include "report/gaps.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cag {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

Sizes sizes_of(const FileCoverage& file) {
    Sizes sizes;
    for (const Module& module : file.modules) {
        std::uint64_t explained = module.header_bytes + module.padding_bytes;
        std::set<Arch> archs;
        for (const Image& image : module.images) {
            auto& images = sizes.images[{image.arch, image.kind}];
            ++images.count;
            images.stored += image.size;
            images.expanded += image.expanded_size;
            sizes.without[image.arch].stored += image.size;
            archs.insert(image.arch);
            explained += image.size;
        }
        sizes.headers += module.header_bytes;
        sizes.padding += module.padding_bytes;
        sizes.unexplained += module.size - std::min(module.size, explained);
        sizes.total += std::max(module.size, explained);
        if (archs.size() == 1 && !is_leftover(file, module)) {
            ++sizes.without[*archs.begin()].emptied_modules;
        }
    }
    return sizes;
}

std::string sizes_text(const FileCoverage& file, const Style& style) {
    const Sizes sizes = sizes_of(file);
    std::string text = fmt::format("\n  {:<8}{:<8}{:>8}{:>12}{:>12}{:>8}\n", "arch", "kind", "images", "stored", "expanded", "share");
    for (const auto& [key, images] : sizes.images) {
        text += fmt::format("  {:<8}{:<8}{:>8}{:>12}{:>12}{:>7.1f}%\n", to_string(key.first), to_string(key.second), images.count,
                            byte_size(images.stored), byte_size(images.expanded), percent(images.stored, sizes.total));
    }
    const auto line = [&](const char* what, std::uint64_t bytes) {
        text += fmt::format("  {:<24}{:>12}{:>12}{:>7.1f}%\n", what, byte_size(bytes), "", percent(bytes, sizes.total));
    };
    line("headers", sizes.headers);
    line("padding", sizes.padding);
    line("unexplained", sizes.unexplained);
    line("total", sizes.total);
    if (sizes.unexplained != 0) {
        text += wrapped(style, "  ", "Unexplained bytes belong to no image that could be read: see what is said of damage.");
    }
    if (sizes.total > too_large_to_link) {
        text +=
            wrapped(style, "  ",
                    fmt::format("{} of device code in one file: a linker fails (\"relocation truncated to fit\") where program text and "
                                "data come to lie more than 2 GiB apart. Name fewer architectures and PTX for the old ones, compress more "
                                "(nvcc --compress-mode=size, drivers from R550 on), or split the library.",
                                byte_size(sizes.total)));
    }
    if (sizes.without.size() > 1) {
        text += fmt::format("\n  {:<24}{:>12}\n", "without", "smaller by");
        for (const auto& [arch, dropped] : sizes.without) {
            text +=
                fmt::format("  {:<24}{:>12}{:>7.1f}%", to_string(arch), byte_size(dropped.stored), percent(dropped.stored, sizes.total));
            text += dropped.emptied_modules == 0 ? "\n" : fmt::format("  leaves {} empty\n", counted(dropped.emptied_modules, "module"));
        }
    }
    return text;
}

nlohmann::ordered_json sizes_json(const FileCoverage& file) {
    const Sizes sizes = sizes_of(file);
    nlohmann::ordered_json json{{"total", sizes.total},
                                {"headers", sizes.headers},
                                {"padding", sizes.padding},
                                {"unexplained", sizes.unexplained},
                                {"images", nlohmann::ordered_json::array()},
                                {"without", nlohmann::ordered_json::array()}};
    for (const auto& [key, images] : sizes.images) {
        json["images"].push_back({{"arch", to_string(key.first)},
                                  {"kind", to_string(key.second)},
                                  {"count", images.count},
                                  {"stored", images.stored},
                                  {"expanded", images.expanded}});
    }
    for (const auto& [arch, dropped] : sizes.without) {
        json["without"].push_back({{"arch", to_string(arch)}, {"saved", dropped.stored}, {"emptied_modules", dropped.emptied_modules}});
    }
    return json;
}

} // namespace cag
