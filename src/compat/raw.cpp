#include "compat/raw.hpp"

#include "compat/fit.hpp"
#include "compat/remedy.hpp"
#include "compat/take.hpp"

#include <fmt/format.h>

namespace cag::compat {
namespace {

ImageChoice choice(const Module& module) { return {module.images[0].kind, module.images[0].arch, module.index, 0}; }

// Rule 14: an input of a device link.
Decision load_ltoir(const Situation& situation) {
    Decision decision = fails_with(200, 14, situation, Confidence::measured,
                                   "LTO-IR is an input of a device link (nvlink -lto, nvJitLink); the driver loads none");
    decision.fixes = {{Cost::rebuild, "link it with nvcc -dlto for the architectures wanted, and load the cubin or fatbin that comes out"}};
    return decision;
}

// Rule 5: SASS of a newer minor runs, of a newer major nobody promises.
std::optional<Decision> made_by_newer_major(const Image& image, const Situation& situation) {
    const auto toolkit = toolkit_version(image.toolkit);
    if (!toolkit || toolkit->major <= situation.driver.cuda.major) {
        return std::nullopt;
    }
    Decision decision =
        unknown_because(5, situation,
                        fmt::format("toolkit {} made this cubin, and driver {} supports CUDA {}: SASS is promised within a major "
                                    "version only",
                                    image.toolkit, situation.driver.name, to_string(situation.driver.cuda)));
    decision.fixes = update_driver(situation, {toolkit->major, 0});
    return decision;
}

Decision load_cubin(const Module& module, const Situation& situation) {
    const Image& image = module.images[0];
    const Fit fit = sass_fits(image.arch, situation);
    Decision decision;
    switch (fit.answer) {
    case Fit::Answer::unsure:
        decision = unknown_because(fit.rule, situation, fit.why);
        break;
    case Fit::Answer::no:
        decision = fails_with(209, 15, situation, Confidence::measured,
                              fmt::format("the cubin does not serve compute capability {}", to_string(situation.capability)));
        decision.because(fit.rule, situation, fit.confidence, fit.why);
        break;
    case Fit::Answer::yes:
        if (auto newer = made_by_newer_major(image, situation)) {
            return *newer;
        }
        decision.kind = OutcomeKind::sass;
        decision.image = choice(module);
        decision.because(fit.rule, situation, fit.confidence, fit.why);
        return decision;
    }
    decision.fixes = add_image(situation, image.toolkit);
    return decision;
}

// The switch that forbids JIT is looked at first, then the version, then the target. Nothing makes the driver ignore a bare cubin.
Decision load_ptx(const Module& module, const Situation& situation) {
    const Image& image = module.images[0];
    if (auto obstacle = obstacle_to_jit(image, situation)) {
        return *obstacle;
    }
    const Fit fit = ptx_fits(image.arch, situation);
    if (fit.answer == Fit::Answer::unsure) {
        return unknown_because(fit.rule, situation, fit.why);
    }
    if (fit.answer == Fit::Answer::no) {
        Decision decision = fails_with(
            218, 15, situation, Confidence::measured,
            fmt::format("PTX for {} cannot be compiled for compute capability {}", to_string(image.arch), to_string(situation.capability)));
        decision.because(fit.rule, situation, fit.confidence, fit.why);
        const Arch own{situation.capability.major, situation.capability.minor, Variant::plain};
        decision.fixes = {{Cost::rebuild, fmt::format("make PTX for {} or lower", own.number())}};
        return decision;
    }
    Decision decision;
    decision.kind = OutcomeKind::jit;
    decision.image = choice(module);
    decision.because(15, situation, Confidence::measured, "PTX is compiled when the program loads it");
    return decision;
}

} // namespace

bool is_bare_image(const FileCoverage& file, const Module& module) {
    return module.kind == ModuleKind::raw && module.images.size() == 1 && file.format != "fatbin";
}

bool is_refused_as_a_whole(const FileCoverage& file, const Module& module) {
    return file.role == FileRole::raw && !file.problems.empty() && (module.images.empty() || is_bare_image(file, module));
}

Decision refuse_as_a_whole(const FileCoverage& file, const Module& module, const Situation& situation) {
    constexpr std::uint64_t first_headers = 16 + 64; // the container's and its first image's
    const int error = file.format == "ptx" ? 218 : file.format == "fatbin" && module.size < first_headers ? 999 : 200;
    Decision decision = fails_with(error, 15, situation, Confidence::measured, "the file is damaged or cut short: the driver refuses it");
    decision.fixes = {fetch_again()};
    return decision;
}

Decision load_bare_image(const Module& module, const Situation& situation) {
    switch (module.images[0].kind) {
    case ImageKind::ltoir:
        return load_ltoir(situation);
    case ImageKind::ptx:
        return load_ptx(module, situation);
    default:
        return load_cubin(module, situation);
    }
}

} // namespace cag::compat
