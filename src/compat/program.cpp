#include "compat/program.hpp"

#include "compat/kernels.hpp"
#include "compat/remedy.hpp"
#include "compat/take.hpp"
#include "coverage/device_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

namespace cag::compat {
namespace {

// An input of the relink and the image that is taken from it; null where it has none that serves.
struct TakenInput {
    const Module* module = nullptr;
    const Image* image = nullptr;
    std::size_t index = 0; // of the image in the module
};

// Rule 11: SASS before PTX in each input.
TakenInput take_from(const Module& input, const Situation& situation) {
    const Pick sass = situation.jit.ignore_sass ? Pick() : pick_sass(input.images, situation);
    const Pick pick = sass.image ? sass : pick_ptx(input.images, situation);
    return pick.image ? TakenInput{&input, &input.images[*pick.image], *pick.image} : TakenInput{&input, nullptr, 0};
}

// Rule 11: minor-version compatibility ends at the relink, where SASS of a toolkit newer than the driver's CUDA is refused.
std::optional<Decision> sass_is_newer_than_driver(const Image& image, const Situation& situation) {
    const auto toolkit = toolkit_version(image.toolkit);
    if (image.kind != ImageKind::sass || !toolkit || *toolkit <= situation.driver.cuda) {
        return std::nullopt;
    }
    Decision decision = fails_with(209, 11, situation, Confidence::measured,
                                   fmt::format("no linked image serves, and the driver (CUDA {}) cannot link SASS of toolkit {} again",
                                               to_string(situation.driver.cuda), image.toolkit));
    decision.fixes = update_driver(situation, *toolkit);
    append(decision.fixes, add_linked_image(situation, image.toolkit));
    return decision;
}

// Why a taken input stops the whole program.
std::optional<Decision> obstacle_to(const Image& image, const Situation& situation) {
    if (image.kind == ImageKind::ptx) {
        auto decision = obstacle_to_jit(image, situation);
        if (decision) {
            decision->because(11,
                              "no linked image serves, so the driver links the inputs again, and the first that cannot be used decides");
        }
        return decision;
    }
    auto decision = obstacle_to_sass(image, situation);
    return decision ? decision : sass_is_newer_than_driver(image, situation);
}

// Names that the linker, the driver or the device runtime supply.
bool is_supplied(std::string_view name) {
    constexpr std::array<std::string_view, 5> prefixes = {"__UFT", "__UDT", ".nv.", "cnp", "__cuda"};
    constexpr std::array<std::string_view, 4> names = {"vprintf", "malloc", "free", "__assertfail"};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; }) ||
           std::find(names.begin(), names.end(), name) != names.end();
}

// Rule 11: a function that a taken input calls and no taken input defines; "" where there is none.
std::string undefined_function(const std::vector<TakenInput>& taken) {
    std::unordered_set<std::string_view> defined;
    for (const TakenInput& input : taken) {
        if (input.image != nullptr) {
            defined.insert(input.image->functions.begin(), input.image->functions.end());
            for (const Kernel& kernel : input.image->kernels) {
                defined.insert(kernel.name);
            }
        }
    }
    for (const TakenInput& input : taken) {
        if (input.image != nullptr) {
            for (const std::string& name : input.image->undefined) {
                if (!is_supplied(name) && defined.count(name) == 0) {
                    return name;
                }
            }
        }
    }
    return "";
}

Decision call_of_undefined(const std::string& function, const Situation& situation, const std::string& toolkit) {
    Decision decision = fails_with(
        300, 11, situation, Confidence::measured,
        fmt::format("no linked image serves, and when the driver links the inputs again, {} is called but defined only in an input "
                    "that has no image for compute capability {}",
                    function, to_string(situation.capability)));
    decision.fixes = add_linked_image(situation, toolkit);
    return decision;
}

Decision input_left_out(const Module& input, const Situation& situation) {
    Decision decision =
        fails_with(500, 11, situation, Confidence::measured,
                   fmt::format("no linked image serves, and the object that defines this kernel holds {}: it is left out when "
                               "the driver links the inputs again",
                               list_images(input.images)));
    if (situation.jit.ignore_sass && pick_sass(input.images, situation).image) {
        decision.because(6, situation.jit.ignore_sass_by + " makes the driver ignore SASS");
        decision.fixes.push_back(unset(situation.jit.ignore_sass_by));
    }
    append(decision.fixes, add_linked_image(situation, newest_toolkit(input.images)));
    return decision;
}

Decision relinked(const TakenInput& input, const Situation& situation) {
    Decision decision;
    decision.kind = input.image->kind == ImageKind::ptx ? OutcomeKind::jit : OutcomeKind::sass;
    decision.image = ImageChoice{input.image->kind, input.image->arch, input.module->index, input.index};
    decision.because(11, situation, Confidence::measured,
                     fmt::format("no linked image serves compute capability {}, so the driver links the inputs again at load{}: the device "
                                 "link did not get this architecture",
                                 to_string(situation.capability), decision.kind == OutcomeKind::jit ? ", compiling PTX" : ""));
    return decision;
}

// Rule 14.
bool is_ltoir_only(const Module* input) {
    return !input->images.empty() &&
           std::all_of(input->images.begin(), input->images.end(), [](const Image& image) { return image.kind == ImageKind::ltoir; });
}

// A kernel that several inputs define (a template) comes from the first that is taken.
void add_kernels(const TakenInput& input, const Situation& situation, std::map<std::string_view, Decision>& kernels) {
    const Decision left_out = input.image == nullptr ? input_left_out(*input.module, situation) : Decision();
    for (const Image& image : input.module->images) {
        for (const Kernel& kernel : image.kernels) {
            if (input.image == nullptr) {
                kernels.try_emplace(kernel.name, left_out);
            }
        }
    }
    if (is_ltoir_only(input.module)) {
        kernels.try_emplace("", left_out);
    }
    if (input.image == nullptr) {
        return;
    }
    const Decision decision = relinked(input, situation);
    for (const Kernel& kernel : input.image->kernels) {
        const auto [entry, is_new] = kernels.try_emplace(kernel.name, decision);
        if (!is_new && !runs(entry->second)) {
            entry->second = decision;
        }
    }
}

// Rules 11 and 14.
ProgramDecision relink(const Program& program, const Situation& situation) {
    std::vector<TakenInput> inputs;
    std::string toolkit;
    for (const Module* input : program.inputs) {
        inputs.push_back(take_from(*input, situation));
        if (toolkit.empty()) {
            toolkit = newest_toolkit(input->images);
        }
    }
    for (const TakenInput& input : inputs) {
        if (input.image != nullptr) {
            if (auto decision = obstacle_to(*input.image, situation)) {
                return {*decision, {}};
            }
        }
    }
    if (const std::string function = undefined_function(inputs); !function.empty()) {
        return {call_of_undefined(function, situation, toolkit), {}};
    }
    ProgramDecision decision;
    const auto some_taken = std::find_if(inputs.begin(), inputs.end(), [](const TakenInput& input) { return input.image != nullptr; });
    decision.common = some_taken == inputs.end() ? input_left_out(*program.inputs.front(), situation) : relinked(*some_taken, situation);
    for (const TakenInput& input : inputs) {
        add_kernels(input, situation, decision.own_kernels);
    }
    return decision;
}

// Rule 14: LTO-IR is no input of a relink, so only the linked images count.
Decision nothing_to_link_again(const Program& program, const Situation& situation) {
    Decision decision =
        fails_with(500, 14, situation, Confidence::measured,
                   fmt::format("the linked images are {}, none serves compute capability {}, and there are no inputs with SASS "
                               "or PTX that the driver could link again",
                               list_images(program.linked->images), to_string(situation.capability)));
    decision.fixes = add_linked_image(situation, newest_toolkit(program.linked->images));
    return decision;
}

Decision belongs_to_another_link(const Situation& situation) {
    return unknown_because(11, situation, "no linked image serves, and which relocatable inputs belong to this device link is not known");
}

// The virtual architecture of the code that the device link took from an input for a target: SASS within the major, else compiled PTX.
std::optional<Arch> linked_code_of(const Module& input, Arch target) {
    const Image* best = nullptr;
    for (const ImageKind kind : {ImageKind::sass, ImageKind::ptx}) {
        for (const Image& image : input.images) {
            const bool usable = image.kind == kind && image.arch <= target && (kind == ImageKind::ptx || image.arch.major == target.major);
            if (usable && (best == nullptr || (best->kind == kind && image.arch > best->arch))) {
                best = &image;
            }
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->compiled_for.value_or(best->arch));
}

// Rule 8: a linked image reports the lowest virtual architecture of its inputs.
void note_mixed_inputs(Decision& decision, const Program& program) {
    std::set<Arch> compiled_for;
    for (const Module* input : program.inputs) {
        if (const auto arch = linked_code_of(*input, decision.image->arch)) {
            compiled_for.insert(*arch);
        }
    }
    if (compiled_for.size() > 1) {
        decision.warn(8, fmt::format("the device link mixes code compiled for {} and {}: libraries that ask for the kernel's virtual "
                                     "architecture (CUB, Thrust) may fail with error 98",
                                     to_string(compiled_for.begin()->capability()), to_string(compiled_for.rbegin()->capability())));
    }
}

} // namespace

Program program_of(const FileCoverage& file, const Module& linked) {
    Program program;
    program.linked = &linked;
    program.inputs_are_known = file.role != FileRole::object; // an object of `nvcc -dlink`: its inputs are other objects
    for (const Module& module : file.modules) {
        if (module.kind != ModuleKind::relocatable || is_device_runtime(module)) {
            continue;
        }
        if (module.linked_by == linked.index) {
            program.inputs.push_back(&module);
        } else if (!module.linked_by) {
            program.inputs_are_known = false;
        }
    }
    return program;
}

// Rule 10: a linked image that serves is taken, whatever it holds and whatever the inputs hold.
ProgramDecision judge_program(const Program& program, const Situation& situation) {
    Decision decision = take_image(*program.linked, situation);
    const bool nothing_served = decision.kind == OutcomeKind::fails && decision.error == 209;
    if (!nothing_served) {
        if (decision.image) {
            decision.because(10, "the device-linked image is taken, whatever the inputs of the link hold");
            note_mixed_inputs(decision, program);
        }
        return {decision, {}};
    }
    if (!program.inputs_are_known) {
        return {belongs_to_another_link(situation), {}};
    }
    if (program.inputs.empty() || std::all_of(program.inputs.begin(), program.inputs.end(), is_ltoir_only)) {
        return {nothing_to_link_again(program, situation), {}};
    }
    return relink(program, situation);
}

} // namespace cag::compat
