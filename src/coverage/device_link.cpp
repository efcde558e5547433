#include "coverage/device_link.hpp"

#include <algorithm>
#include <iterator>

namespace cag {

namespace {

using Names = std::set<std::string_view>;

// What nvlink takes from an input when it links for `target`: SASS of it or of a lower minor, or PTX that it can compile for it.
bool can_be_linked_for(const Image& image, Arch target) {
    if (image.arch == target) {
        return true;
    }
    const bool lower = image.arch.variant == Variant::plain && image.arch.number() <= target.number();
    return lower && (image.kind == ImageKind::ptx || (image.kind == ImageKind::sass && image.arch.major == target.major));
}

void add_kernels(const Image& image, Names& names) {
    for (const Kernel& kernel : image.kernels) {
        names.insert(kernel.name);
    }
}

Names kernels_for(Arch target, const std::vector<const Module*>& inputs) {
    Names names;
    for (const Module* input : inputs) {
        for (const Image& image : input->images) {
            if (can_be_linked_for(image, target)) {
                add_kernels(image, names);
            }
        }
    }
    return names;
}

// `*` stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    std::size_t p = 0;
    std::size_t n = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) { // let the last star take one character more
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool host_refers_to(const std::vector<std::string>& references, std::string_view kernel) {
    return std::ranges::any_of(references, [&](const std::string& pattern) { return matches(pattern, kernel); });
}

Names common(const Names& left, const Names& right) {
    Names both;
    std::ranges::set_intersection(left, right, std::inserter(both, both.end()));
    return both;
}

} // namespace

bool holds_nothing(const Module& module) {
    return std::ranges::all_of(module.images, [](const Image& image) { return image.payload_read && image.empty; });
}

bool is_device_runtime_kernel(std::string_view name) {
    return name.starts_with("__nv_static_") && name.find("_cuda_device_runtime_cu_") != std::string_view::npos;
}

bool is_device_runtime(const Module& input) {
    if (input.identity.find("cuda_device_runtime") != std::string::npos) {
        return true;
    }
    const auto is_its_function = [](std::string_view name) {
        return name.starts_with("cnp") || name.starts_with("__cuda") || name.starts_with("cuda");
    };
    bool any = false;
    for (const Image& image : input.images) {
        any = any || !image.functions.empty();
        if (!std::ranges::all_of(image.functions, is_its_function) ||
            !std::ranges::all_of(image.kernels, is_device_runtime_kernel, &Kernel::name)) {
            return false;
        }
    }
    return any;
}

std::set<std::string_view> kernels_dropped_by_link(const FileCoverage& file, const Module& linked,
                                                   const std::vector<const Module*>& inputs) {
    const bool all_read = std::ranges::all_of(linked.images, &Image::payload_read);
    if (linked.images.empty() || !all_read || !file.host_references) {
        return {};
    }
    Names kept;
    Names offered = kernels_for(linked.images.front().arch, inputs);
    for (const Image& image : linked.images) {
        add_kernels(image, kept);
        offered = common(offered, kernels_for(image.arch, inputs));
    }
    Names dropped;
    std::ranges::set_difference(offered, kept, std::inserter(dropped, dropped.end()));
    std::erase_if(dropped, [&](std::string_view kernel) { return host_refers_to(*file.host_references, kernel); });
    return dropped;
}

} // namespace cag
