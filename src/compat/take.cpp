#include "compat/take.hpp"

#include "compat/remedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace cag::compat {
namespace {

constexpr CudaVersion first_with_zstd = {12, 4};

bool is_visible(const Image& image, const Situation& situation) {
    return !image.in_concat_group || situation.driver.cuda >= first_with_concat_groups;
}

template <class Fits, class Better>
Pick pick(const std::vector<Image>& images, ImageKind kind, const Situation& situation, Fits fits, Better better) {
    Pick result;
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i].kind != kind || !is_visible(images[i], situation)) {
            continue;
        }
        const Fit fit = fits(images[i].arch, situation);
        if (fit.answer == Fit::Answer::unsure) {
            result.unsure = fit;
        } else if (fit.answer == Fit::Answer::yes && (!result.image || better(images[i], images[*result.image]))) {
            result.image = i;
            result.fit = fit;
        }
    }
    return result;
}

// Rule 17: zstd came with the driver of CUDA 12.4.
std::optional<Decision> unreadable_compression(const Image& image, const Situation& situation) {
    if (image.compression != Compression::zstd || situation.driver.cuda >= first_with_zstd) {
        return std::nullopt;
    }
    Decision decision = fails_with(200, 17, situation, Confidence::documented,
                                   "the right image is there, compressed with zstd, which drivers before R550 (CUDA 12.4) cannot expand: "
                                   "this is not a missing architecture");
    decision.fixes = update_driver(situation, first_with_zstd);
    decision.fixes.push_back({Cost::rebuild, "rebuild with nvcc --compress-mode=speed (or none)"});
    return decision;
}

// Only the image that is taken is read, and there is no fall back from it (rule 17).
Decision damaged(int error, const Image& image, const Situation& situation, const std::string& how) {
    const std::string what =
        fmt::format("the image taken ({} {}) is damaged: {}", image.kind == ImageKind::ptx ? "PTX" : "SASS", to_string(image.arch), how);
    Decision decision = error == 0 ? unknown_because(17, situation, what) : fails_with(error, 17, situation, Confidence::measured, what);
    decision.fixes = {fetch_again()};
    return decision;
}

std::optional<Decision> does_not_expand(const Image& image, const Situation& situation) {
    if (image.defect == Defect::other) {
        return damaged(0, image, situation, "what the driver makes of it is not known");
    }
    if (image.defect != Defect::does_not_expand) {
        return std::nullopt;
    }
    return image.compression == Compression::zstd
               ? damaged(999, image, situation, "it cannot be decompressed")
               : damaged(0, image, situation, "it cannot be decompressed, and drivers crash at such LZ4 data instead of refusing it");
}

// The header decides which image is taken, its payload whether that can be used (rule 17).
std::optional<Decision> payload_is_for_other_gpus(const Image& image, const Situation& situation) {
    if (!image.payload_arch) {
        return std::nullopt;
    }
    const bool is_ptx = image.kind == ImageKind::ptx;
    const Fit fit = is_ptx ? ptx_fits(*image.payload_arch, situation) : sass_fits(*image.payload_arch, situation);
    if (fit.answer == Fit::Answer::yes) {
        return std::nullopt;
    }
    const auto loading = situation.environment.find("CUDA_MODULE_LOADING");
    const bool eager = loading != situation.environment.end() && loading->second == "EAGER";
    const int error = fit.answer == Fit::Answer::unsure ? 0 : is_ptx ? 218 : eager ? 46 : 300;
    return damaged(error, image, situation,
                   fmt::format("it calls itself {}, but it was made for {}", to_string(image.arch), to_string(*image.payload_arch)));
}

// Rule 6.
std::optional<Decision> jit_is_off(const Situation& situation) {
    if (!situation.jit.no_jit) {
        return std::nullopt;
    }
    Decision decision = fails_with(223, 6, situation, Confidence::measured,
                                   fmt::format("only PTX serves, and {} forbids compiling it", situation.jit.no_jit_by));
    decision.fixes = {unset(situation.jit.no_jit_by)};
    return decision;
}

// Rule 4: `.version` decides, and the driver does not fall back to older PTX beside it.
std::optional<Decision> ptx_is_too_new(const Image& image, const Situation& situation) {
    if (!image.ptx_isa) {
        return unknown_because(4, situation, "the PTX does not say its ISA version");
    }
    if (*image.ptx_isa <= situation.driver.max_ptx) {
        return std::nullopt;
    }
    const std::string found = fmt::format("PTX {} has ISA version {}, and driver {} compiles up to {}", to_string(image.arch),
                                          to_string(*image.ptx_isa), situation.driver.name, to_string(situation.driver.max_ptx));
    if (situation.driver.extrapolated) {
        return unknown_because(4, situation, found + " as far as is known");
    }
    Decision decision = fails_with(222, 4, situation, Confidence::measured, found);
    decision.fixes = for_new_ptx(situation, *image.ptx_isa, image.toolkit);
    return decision;
}

std::string list_archs(const std::vector<Image>& images, ImageKind kind) {
    std::set<Arch> archs;
    for (const Image& image : images) {
        if (image.kind == kind && !(image.payload_read && image.empty)) {
            archs.insert(image.arch);
        }
    }
    std::vector<std::string> names;
    for (const Arch arch : archs) {
        names.push_back(to_string(arch));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// Images of the GPU's own major that do not serve: their reasons explain more than the list does.
void explain_near_misses(Decision& decision, const std::vector<Image>& images, const Situation& situation) {
    std::set<std::string> said;
    for (const Image& image : images) {
        if (image.kind != ImageKind::sass && image.kind != ImageKind::ptx) {
            continue;
        }
        if (!is_visible(image, situation)) {
            const std::string text = fmt::format("driver {} skips groups of nvcc -concat: they came with CUDA 13.4", situation.driver.name);
            if (said.insert(text).second) {
                decision.because(1, situation, Confidence::measured, text);
                append(decision.fixes, update_driver(situation, first_with_concat_groups));
            }
            continue;
        }
        const Fit fit = image.kind == ImageKind::sass ? sass_fits(image.arch, situation) : ptx_fits(image.arch, situation);
        // `a` code of another generation would not have served there anyway, unless as PTX.
        const bool near = image.arch.major == situation.capability.major || image.arch.variant == Variant::family_specific ||
                          (image.arch.variant == Variant::arch_specific && image.kind == ImageKind::ptx);
        if (near && fit.rule != 1 && fit.rule != 3 && said.insert(fit.why).second) {
            decision.because(fit.rule, situation, fit.confidence, fit.why);
        }
    }
}

std::string driver_update_cannot_help(const std::vector<Image>& images, const Situation& situation) {
    const bool all_newer =
        std::all_of(images.begin(), images.end(), [&](const Image& image) { return image.arch.capability() > situation.capability; });
    return all_newer ? "every image is for newer GPUs, and neither SASS nor PTX serves older ones; a driver update cannot help"
                     : "a driver update cannot help";
}

// Rules 1 to 3, and 6 where SASS was there but may not be used: nothing serves.
Decision nothing_serves(const Module& module, const Situation& situation) {
    const std::vector<Image>& images = module.images;
    const std::string gpu = to_string(situation.capability);
    const bool switched_off = situation.jit.ignore_sass && pick_sass(images, situation).image;
    Decision decision =
        switched_off
            ? fails_with(209, 6, situation, Confidence::measured,
                         fmt::format("{} makes the driver ignore SASS, and no PTX serves compute capability {}: the module holds {}",
                                     situation.jit.ignore_sass_by, gpu, list_images(images)))
            : fails_with(209, 3, situation, Confidence::measured,
                         fmt::format("no image serves compute capability {}: the module holds {}", gpu, list_images(images)));
    if (switched_off) {
        decision.fixes.push_back(unset(situation.jit.ignore_sass_by));
    } else {
        decision.rules = {1, 3};
        explain_near_misses(decision, images, situation);
        if (decision.fixes.empty()) {
            decision.reasons.push_back(driver_update_cannot_help(images, situation));
        }
    }
    append(decision.fixes, add_image(situation, newest_toolkit(images)));
    return decision;
}

// Rule 14, and entries of a kind that nobody has explained.
std::optional<Decision> nothing_readable_serves(const Module& module, const Situation& situation) {
    const auto holds = [&](ImageKind kind) {
        return std::any_of(module.images.begin(), module.images.end(), [&](const Image& image) { return image.kind == kind; });
    };
    if (holds(ImageKind::unknown) && !situation.recorded) { // driver 580 passes them over
        return unknown_because(1, situation,
                               "no image that is understood serves, and the module holds entries of an unknown kind, which might");
    }
    if (module.unexplained_bytes > 0) {
        return unknown_because(1, situation, "no image that could be read serves, and a part of the module is damaged");
    }
    if (holds(ImageKind::ltoir) && !holds(ImageKind::sass) && !holds(ImageKind::ptx)) {
        Decision decision = fails_with(209, 14, situation, Confidence::measured,
                                       "the module holds LTO-IR only, which is an input of a device link and cannot be loaded");
        decision.fixes = {{Cost::rebuild, "link with nvcc -dlto and the architectures wanted, or compile to SASS instead of LTO-IR"}};
        return decision;
    }
    return std::nullopt;
}

ImageChoice choice(const Module& module, std::size_t index) {
    const Image& image = module.images[index];
    return {image.kind, image.payload_arch.value_or(image.arch), module.index, index};
}

void note_wrong_header(Decision& decision, const Image& image) {
    if (image.payload_arch) {
        decision.because(17, fmt::format("its header calls it {}, which is what the driver goes by; the code is {}", to_string(image.arch),
                                         to_string(*image.payload_arch)));
    }
}

// Rule 8: -gencode=arch=compute_90,code=sm_90a compiles plain code and calls it 90a; the letter then only takes other GPUs away.
void note_missing_features(Decision& decision, const Image& image) {
    if (image.warpgroup == false) {
        decision.warn(8,
                      fmt::format("the image is for {}, yet it holds no warpgroup instruction, which is what 90a is for: was it compiled "
                                  "with arch=compute_90 instead of arch=compute_90a?",
                                  to_string(image.arch)));
    }
}

// Rule 4 says what an older driver does.
void note_newest_isa(Decision& decision, const Image& image, const Situation& situation) {
    if (image.ptx_isa == situation.driver.max_ptx) {
        decision.warn(
            4, fmt::format("only PTX of ISA version {} serves this GPU, the newest that driver {} compiles: every older branch fails "
                           "with error 222; SASS for {} would not depend on it",
                           to_string(*image.ptx_isa), situation.driver.name, to_string(situation.capability)));
    }
}

Decision runs_as_sass(const Module& module, const Pick& pick, const Situation& situation) {
    Decision decision;
    decision.kind = OutcomeKind::sass;
    decision.image = choice(module, *pick.image);
    decision.because(pick.fit.rule, situation, pick.fit.confidence, pick.fit.why);
    note_wrong_header(decision, module.images[*pick.image]);
    note_missing_features(decision, module.images[*pick.image]);
    return decision;
}

Decision runs_by_jit(const Module& module, const Pick& ptx, const Situation& situation) {
    const Image& image = module.images[*ptx.image];
    Decision decision;
    decision.kind = OutcomeKind::jit;
    decision.image = choice(module, *ptx.image);
    decision.because(
        3, situation, Confidence::measured,
        fmt::format("{}, so PTX {} is compiled when it is first loaded ({} bytes of PTX)",
                    situation.jit.ignore_sass ? situation.jit.ignore_sass_by + " makes the driver ignore SASS" : "no SASS serves",
                    to_string(image.arch), image.expanded_size));
    note_wrong_header(decision, image);
    if (situation.jit.ignore_sass) {
        decision.because(6, "the switch is a test of the PTX; without it SASS that serves is preferred");
    } else {
        note_newest_isa(decision, image, situation);
    }
    return decision;
}

} // namespace

std::string list_images(const std::vector<Image>& images) {
    const std::string sass = list_archs(images, ImageKind::sass);
    const std::string ptx = list_archs(images, ImageKind::ptx);
    return fmt::format("{} and {}", sass.empty() ? "no SASS" : "SASS " + sass, ptx.empty() ? "no PTX" : "PTX " + ptx);
}

std::optional<CudaVersion> toolkit_version(const std::string& text) {
    CudaVersion version;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
        return std::nullopt;
    }
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    return minor.ec == std::errc() ? std::optional(version) : std::nullopt;
}

std::string newest_toolkit(const std::vector<Image>& images) {
    std::string newest;
    for (const Image& image : images) {
        if (toolkit_version(image.toolkit) > toolkit_version(newest)) {
            newest = image.toolkit;
        }
    }
    return newest;
}

// Of two that serve, the driver takes the higher number, and `a` before the plain one (rules 1 and 2); of several for one target the first.
Pick pick_sass(const std::vector<Image>& images, const Situation& situation) {
    return pick(images, ImageKind::sass, situation, sass_fits,
                [](const Image& candidate, const Image& best) { return candidate.arch > best.arch; });
}

// Of several PTX images of one target the first is taken, whatever its ISA version; where the target is exactly the GPU's own, the last.
Pick pick_ptx(const std::vector<Image>& images, const Situation& situation) {
    const Arch own = {situation.capability.major, situation.capability.minor, Variant::plain};
    return pick(images, ImageKind::ptx, situation, ptx_fits, [&](const Image& candidate, const Image& best) {
        return candidate.arch > best.arch || (candidate.arch == best.arch && candidate.arch == own);
    });
}

std::optional<Decision> obstacle_to_sass(const Image& image, const Situation& situation) {
    if (auto decision = unreadable_compression(image, situation)) {
        return decision;
    }
    if (auto decision = does_not_expand(image, situation)) {
        return decision;
    }
    if (image.defect == Defect::no_cubin) {
        return damaged(200, image, situation, "it is no cubin");
    }
    return payload_is_for_other_gpus(image, situation);
}

// Decompressing comes first. The switch is looked at before the text: 223 even where the ISA is too new or nothing in it is PTX.
std::optional<Decision> obstacle_to_jit(const Image& image, const Situation& situation) {
    if (auto decision = unreadable_compression(image, situation)) {
        return decision;
    }
    if (auto decision = does_not_expand(image, situation)) {
        return decision;
    }
    if (auto decision = jit_is_off(situation)) {
        return decision;
    }
    if (auto decision = ptx_is_too_new(image, situation)) {
        return decision;
    }
    if (image.defect == Defect::no_ptx) {
        return damaged(218, image, situation, "its text is no PTX");
    }
    return payload_is_for_other_gpus(image, situation);
}

Decision take_image(const Module& module, const Situation& situation) {
    const Pick sass = situation.jit.ignore_sass ? Pick() : pick_sass(module.images, situation);
    if (sass.image) {
        auto obstacle = obstacle_to_sass(module.images[*sass.image], situation);
        return obstacle ? *obstacle : runs_as_sass(module, sass, situation);
    }
    const Pick ptx = pick_ptx(module.images, situation);
    if (ptx.image) {
        auto obstacle = obstacle_to_jit(module.images[*ptx.image], situation);
        Decision decision = obstacle ? *obstacle : runs_by_jit(module, ptx, situation);
        if (sass.unsure) {
            decision.because(sass.unsure->rule, situation, Confidence::reported, sass.unsure->why);
        }
        return decision;
    }
    if (const auto& unsure = sass.unsure ? sass.unsure : ptx.unsure) {
        Decision decision = unknown_because(unsure->rule, situation, unsure->why);
        decision.fixes = add_image(situation, newest_toolkit(module.images));
        return decision;
    }
    auto special = nothing_readable_serves(module, situation);
    return special ? *special : nothing_serves(module, situation);
}

} // namespace cag::compat
