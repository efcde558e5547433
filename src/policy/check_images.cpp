// --require-sass and --require-ptx: which images count as the required one, and which kernels they lack.
#include "policy/checks.hpp"

#include "coverage/device_link.hpp"
#include "policy/fixes.hpp"
#include "policy/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace cag {
namespace {

using Images = std::vector<const Image*>;

// A relocatable cubin cannot be loaded; it counts where a link is still to come.
bool is_loadable_sass(const Image& image) { return image.kind == ImageKind::sass && !image.relocatable; }

bool gives_to_link(const Image& image, Arch arch) {
    return image.arch == arch && (image.kind == ImageKind::sass || image.kind == ImageKind::ltoir);
}

// The PTX that the driver takes on GPUs of the required architecture that no SASS serves: of the plain targets up to it, the highest.
const Image* ptx_up_to(const Module& module, Arch required) {
    const Image* best = nullptr;
    for (const Image& image : module.images) {
        const bool usable =
            image.kind == ImageKind::ptx &&
            (required.variant == Variant::plain ? image.arch.variant == Variant::plain && image.arch <= required : image.arch == required);
        if (usable && (best == nullptr || image.arch > best->arch)) {
            best = &image;
        }
    }
    return best;
}

// Which of the subject's modules must hold the image. A program is what the device link made of it (SASS), or what the driver can link
// again at load (PTX).
std::vector<std::size_t> modules_asked(const CheckedSubject& checked, Requirement::Kind kind) {
    const auto& modules = checked.subject.modules;
    if (checked.subject.kind != Subject::Kind::program) {
        return modules;
    }
    if (kind == Requirement::Kind::sass) {
        return {modules.front()};
    }
    std::vector<std::size_t> inputs;
    std::copy_if(modules.begin() + 1, modules.end(), std::back_inserter(inputs),
                 [&](std::size_t index) { return !is_device_runtime(checked.file.modules[index]); });
    return inputs;
}

Images images_of(const Module& module, const Subject& subject, const Requirement& requirement) {
    Images images;
    if (requirement.kind == Requirement::Kind::ptx) {
        if (const Image* ptx = ptx_up_to(module, requirement.arch)) {
            images.push_back(ptx);
        }
        return images;
    }
    for (const Image& image : module.images) {
        const bool counts = subject.kind == Subject::Kind::input ? gives_to_link(image, requirement.arch)
                                                                 : is_loadable_sass(image) && image.arch == requirement.arch;
        if (counts) {
            images.push_back(&image);
        }
    }
    return images;
}

bool names_kernels(const Image& image) { return image.payload_read && image.kind != ImageKind::ltoir; }

std::vector<std::string> common(const std::vector<std::string>& kernels, const std::vector<std::string>& others) {
    const std::unordered_set<std::string_view> there(others.begin(), others.end());
    std::vector<std::string> both;
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(both), [&](const std::string& name) { return there.contains(name); });
    return both;
}

// Kernels of `all` that none of the images has; nothing where an image does not tell its kernels.
std::vector<std::string> absent_kernels(const std::vector<std::string>& all, const Images& images) {
    std::unordered_set<std::string_view> there;
    for (const Image* image : images) {
        if (!names_kernels(*image)) {
            return {};
        }
        for (const Kernel& kernel : image->kernels) {
            there.insert(kernel.name);
        }
    }
    std::vector<std::string> absent;
    std::copy_if(all.begin(), all.end(), std::back_inserter(absent), [&](const std::string& name) { return !there.contains(name); });
    return absent;
}

// Kernels without effect in these images and with code in another image of the same modules.
std::vector<std::string> hollow_kernels(const CheckedSubject& checked, const Images& images) {
    std::unordered_set<std::string_view> full;
    for (const std::size_t module : checked.subject.modules) {
        for (const Image& image : checked.file.modules[module].images) {
            for (const Kernel& kernel : image.kernels) {
                if (kernel.body == KernelBody::code) {
                    full.insert(kernel.name);
                }
            }
        }
    }
    std::vector<std::string> hollow;
    for (const Image* image : images) {
        for (const Kernel& kernel : image->kernels) {
            if ((kernel.body == KernelBody::empty || kernel.body == KernelBody::trap) && full.contains(kernel.name)) {
                hollow.push_back(kernel.name);
            }
        }
    }
    return hollow;
}

std::string of_kernels(const std::vector<std::string>& kernels, const char* words) {
    return kernels.empty() ? "" : fmt::format("{}: {}", words, list_kernels(kernels));
}

Finding missing_sass(const CheckedSubject& checked, Arch arch, const std::vector<std::string>& kernels) {
    const bool to_link = checked.subject.kind == Subject::Kind::input;
    Finding finding = finding_in(checked, "CAG101",
                                 fmt::format("{} {} sm_{}{}", describe(checked.file, checked.subject),
                                             to_link ? "cannot give the device link code for" : "has no SASS for", to_string(arch),
                                             of_kernels(kernels, "; kernels without it")));
    finding.fixes = fixes_for({arch, Code::sass});
    if (checked.subject.kind == Subject::Kind::program) {
        finding.fixes.emplace_back("pass the architecture to the device link as well as to the compilation of each source");
    }
    return finding;
}

Finding missing_ptx(const CheckedSubject& checked, Arch arch, const std::vector<std::string>& kernels) {
    const bool program = checked.subject.kind == Subject::Kind::program;
    Finding finding = finding_in(checked, "CAG102",
                                 fmt::format("{} has no PTX {}{}{}", describe(checked.file, checked.subject),
                                             arch.variant == Variant::plain
                                                 ? fmt::format("that GPUs from {} upward can use", to_string(arch.capability()))
                                                 : fmt::format("for compute_{}", to_string(arch)),
                                             program ? " in all of its linked objects" : "", of_kernels(kernels, "; kernels without it")));
    finding.fixes = fixes_for({arch, Code::ptx});
    return finding;
}

Finding absent_from_image(const CheckedSubject& checked, const Requirement& requirement, const std::vector<std::string>& kernels) {
    const char* image = requirement.kind == Requirement::Kind::ptx ? "PTX" : "SASS";
    Finding finding = finding_in(checked, "CAG104",
                                 fmt::format("{} has {} for {}_{}, but these kernels are not in it: {}; using them fails with error 500",
                                             describe(checked.file, checked.subject), image,
                                             requirement.kind == Requirement::Kind::ptx ? "compute" : "sm", to_string(requirement.arch),
                                             list_kernels(kernels)));
    if (checked.subject.kind == Subject::Kind::program) {
        finding.fixes = fixes_for({requirement.arch, requirement.kind == Requirement::Kind::ptx ? Code::ptx : Code::sass});
        finding.fixes.insert(finding.fixes.begin(), "compile every object of the device link for the architecture, not only some of them");
    } else {
        finding.fixes = {"move the #if on __CUDA_ARCH__ from around the kernel's definition into its body"};
    }
    return finding;
}

Finding hollow(const CheckedSubject& checked, Arch arch, const std::vector<std::string>& kernels) {
    Finding finding = finding_in(checked, "CAG201",
                                 fmt::format("{} holds kernels that do nothing on sm_{} and something elsewhere: {}",
                                             describe(checked.file, checked.subject), to_string(arch), list_kernels(kernels)));
    finding.level = Level::warning;
    finding.fixes = {
        "give the kernel a body where #if on __CUDA_ARCH__ leaves it out, or compile from the virtual architecture that has the feature"};
    return finding;
}

} // namespace

std::vector<Claim> check_images(const CheckedSubject& checked, const Requirement& requirement) {
    const auto& [file, subject] = checked;
    const auto kernels = kernels_of(file, subject);
    // The claims outlive this function, and what the caller passed them by reference lives as long as they do.
    const auto claim = [arch = requirement.arch](std::vector<std::string> concerned, auto finding) {
        return Claim{std::move(concerned), [arch, finding](const std::vector<std::string>& some) {
                         Finding made = finding(some);
                         made.kernels = some;
                         made.arch = arch;
                         return made;
                     }};
    };

    Images images;
    std::vector<std::size_t> without;
    const auto asked = modules_asked(checked, requirement.kind);
    for (const std::size_t module : asked) {
        const Images here = images_of(file.modules[module], subject, requirement);
        images.insert(images.end(), here.begin(), here.end());
        if (here.empty()) {
            without.push_back(module);
        }
    }
    // In a pool any container may serve; elsewhere each module that is asked needs its own image.
    if (images.empty() || (subject.kind != Subject::Kind::pool && !without.empty())) {
        const auto missing = requirement.kind == Requirement::Kind::sass ? missing_sass : missing_ptx;
        return {claim(images.empty() ? kernels : common(kernels, kernels_of(file, without)),
                      [=](const auto& some) { return missing(checked, requirement.arch, some); })};
    }
    std::vector<Claim> claims;
    if (auto absent = absent_kernels(kernels, images); !absent.empty()) {
        claims.push_back(claim(std::move(absent), [=](const auto& some) { return absent_from_image(checked, requirement, some); }));
    }
    if (auto idle = hollow_kernels(checked, images); !idle.empty()) {
        claims.push_back(claim(std::move(idle), [=](const auto& some) { return hollow(checked, requirement.arch, some); }));
    }
    return claims;
}

} // namespace cag
