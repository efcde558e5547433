// What a policy forbids: debug code, modules of nothing but LTO-IR, architectures, and more bytes than agreed on.
#include "policy/checks.hpp"

#include "coverage/device_link.hpp"
#include "policy/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

Finding forbidden(const FileCoverage& file, const Requirement& requirement, std::string message, std::vector<std::string> fixes) {
    Finding finding;
    finding.code = "CAG202";
    finding.path = file.path;
    finding.member = file.member;
    if (requirement.kind == Requirement::Kind::no_arch ||
        (requirement.kind == Requirement::Kind::max_bytes && !requirement.of_all_images)) {
        finding.arch = requirement.arch;
    }
    finding.message = std::move(message);
    finding.fixes = std::move(fixes);
    return finding;
}

std::vector<std::string> fixes_for(const Requirement& requirement) {
    switch (requirement.kind) {
    case Requirement::Kind::no_debug:
        return {"nvcc: leave out -G (and --device-debug); -lineinfo keeps the line numbers that profilers need"};
    case Requirement::Kind::no_ltoir_only:
        return {"link the objects with nvcc -dlto, or compile them with -gencode ...,code=sm_XX in place of code=lto_XX"};
    default:
        break;
    }
    const std::string number = to_string(requirement.arch);
    if (requirement.of_all_images) {
        return {"build for fewer architectures, or compress: nvcc --compress-mode=size (its code needs driver R550 or newer)"};
    }
    return {fmt::format("nvcc: leave out -gencode=arch=compute_{0},code=sm_{0} and code=compute_{0}", number),
            fmt::format("CMake: take {} out of CMAKE_CUDA_ARCHITECTURES, or of ARCHS of cuda_fatbin_targets()", number)};
}

// What of a module is forbidden, for messages; "" where nothing is.
std::string offence(const Module& module, const Requirement& requirement) {
    const auto count = [&](auto&& is_one) { return std::count_if(module.images.begin(), module.images.end(), is_one); };
    switch (requirement.kind) {
    case Requirement::Kind::no_debug:
        return count([](const Image& image) { return image.debug; }) == 0 ? "" : "code for debuggers (nvcc -G)";
    case Requirement::Kind::no_ltoir_only:
        return module.images.empty() || count([](const Image& image) { return image.kind != ImageKind::ltoir; }) != 0
                   ? ""
                   : "LTO-IR alone, which no driver loads";
    default:
        return count([&](const Image& image) { return image.kind != ImageKind::unknown && image.arch == requirement.arch; }) == 0
                   ? ""
                   : fmt::format("code for {}", to_string(requirement.arch));
    }
}

std::vector<Claim> too_many_bytes(const FileCoverage& file, const Requirement& requirement) {
    std::uint64_t bytes = 0;
    for (const Module& module : file.modules) {
        for (const Image& image : module.images) {
            bytes += requirement.of_all_images || image.arch == requirement.arch ? image.size : 0;
        }
    }
    if (bytes <= requirement.bytes) {
        return {};
    }
    Finding finding = forbidden(file, requirement,
                                fmt::format("{} holds {} bytes of device code{}, and at most {} are allowed", display_name(file), bytes,
                                            requirement.of_all_images ? "" : " for " + to_string(requirement.arch), requirement.bytes),
                                fixes_for(requirement));
    return {{{}, [finding](const std::vector<std::string>&) { return finding; }}};
}

} // namespace

std::vector<Claim> check_forbidden(const FileCoverage& file, const Requirement& requirement) {
    if (requirement.kind == Requirement::Kind::max_bytes) {
        return too_many_bytes(file, requirement);
    }
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < file.modules.size(); ++i) {
        const Module& module = file.modules[i];
        const std::string what = offence(module, requirement);
        if (what.empty() || holds_nothing(module)) {
            continue;
        }
        claims.push_back(
            {kernels_of(file, {i}), [&file, &requirement, what, index = module.index](const std::vector<std::string>& kernels) {
                 Finding finding = forbidden(file, requirement,
                                             fmt::format("module {} of {} holds {}, which the policy forbids{}", index, display_name(file),
                                                         what, kernels.empty() ? "" : "; kernels: " + list_kernels(kernels)),
                                             fixes_for(requirement));
                 finding.module = index;
                 finding.kernels = kernels;
                 return finding;
             }});
    }
    return claims;
}

} // namespace cag
