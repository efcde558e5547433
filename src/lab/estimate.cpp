#include "lab/estimate.hpp"

namespace cag {
namespace {

// The bytes that this module holds for the target, or would hold.
std::optional<std::uint64_t> bytes_in(const Module& module, const Target& target) {
    const ImageKind kind = target.code == Code::sass ? ImageKind::sass : ImageKind::ptx;
    std::uint64_t of_arch = 0;
    std::uint64_t of_kind = 0;
    std::uint64_t count = 0;
    for (const Image& image : module.images) {
        if (image.kind == kind && !image.kernels.empty()) {
            of_arch += image.arch == target.arch ? image.size : 0;
            of_kind += image.size;
            ++count;
        }
    }
    if (count == 0) {
        return std::nullopt;
    }
    return of_arch != 0 ? of_arch : of_kind / count;
}

} // namespace

std::vector<std::optional<std::uint64_t>> estimated_sizes(const Coverage& coverage, const std::vector<Target>& targets) {
    std::vector<std::optional<std::uint64_t>> sizes(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        for (const FileCoverage& file : coverage.files) {
            for (const Module& module : file.modules) {
                if (const auto bytes = bytes_in(module, targets[i])) {
                    sizes[i] = sizes[i].value_or(0) + *bytes;
                }
            }
        }
    }
    return sizes;
}

} // namespace cag
