#include "compat/kernels.hpp"

#include "compat/remedy.hpp"
#include "compat/take.hpp"
#include "coverage/device_link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::compat {
namespace {

std::string name_of(const ImageChoice& image) {
    return fmt::format("{} {}", image.kind == ImageKind::ptx ? "PTX" : "SASS", to_string(image.arch));
}

// Rule 10: the linked image that was taken decides, whatever the inputs hold.
Decision not_in_linked_image(const ImageChoice& image, const Module& linked, const Situation& situation) {
    Decision decision =
        fails_with(500, 10, situation, Confidence::measured,
                   fmt::format("the device-linked image that serves ({}) does not hold this kernel, so neither do the inputs "
                               "of the link count: the link step did not get it for this architecture",
                               name_of(image)));
    decision.fixes = add_linked_image(situation, newest_toolkit(linked.images));
    return decision;
}

// Rule 7: a kernel whose definition is guarded away for the target of the image taken.
Decision not_in_image(const ImageChoice& image, const Situation& situation) {
    Decision decision = fails_with(500, 7, situation, Confidence::measured,
                                   fmt::format("the image taken ({}) does not hold this kernel: its definition is compiled for other "
                                               "architectures only",
                                               name_of(image)));
    decision.fixes = {
        {Cost::rebuild, "compile the kernel's definition for every architecture (guard its body or its launch, not its definition)"}};
    return decision;
}

// Rule 8: loadable is not functional.
void note_hollow_body(Decision& decision, const KernelPlace& taken, std::span<const KernelPlace> places, const FileCoverage& file) {
    const Image& image = file.modules[taken.module].images[taken.image];
    const std::string where = fmt::format("{}, compiled for compute capability {}", name_of(*decision.image),
                                          to_string(image.compiled_for.value_or(image.arch).capability()));
    const KernelBody body = taken.kernel->body;
    if (body == KernelBody::empty || body == KernelBody::trap) {
        const bool real_elsewhere =
            std::any_of(places.begin(), places.end(), [](const KernelPlace& place) { return place.kernel->body == KernelBody::code; });
        const std::string what = fmt::format("in the image taken ({}) the kernel {}", where,
                                             body == KernelBody::empty ? "does nothing: its body is empty" : "only traps");
        if (real_elsewhere) {
            decision.warn(8, "it loads, but " + what + ", while other images hold real code");
        } else {
            decision.because(8, what);
        }
        return;
    }
    constexpr std::uint64_t far_smaller = 8;
    constexpr std::uint64_t worth_a_word = 2048;
    const auto largest = std::max_element(places.begin(), places.end(), [](const KernelPlace& left, const KernelPlace& right) {
        return left.kernel->code_size < right.kernel->code_size;
    });
    const std::uint64_t size = taken.kernel->code_size;
    if (size > 0 && largest->kernel->code_size >= worth_a_word && largest->kernel->code_size / far_smaller >= size) {
        decision.warn(8,
                      fmt::format("it loads, but in the image taken ({}) the kernel has {} bytes of code, against {} in another image: it "
                                  "may do less there",
                                  where, size, largest->kernel->code_size));
    }
}

} // namespace

std::vector<KernelPlace> kernels_in(const std::vector<const Module*>& modules) {
    std::vector<KernelPlace> places;
    for (const Module* module : modules) {
        for (std::size_t i = 0; i < module->images.size(); ++i) {
            for (const Kernel& kernel : module->images[i].kernels) {
                if (!is_device_runtime_kernel(kernel.name)) {
                    places.push_back({kernel.name, module->index, i, &kernel});
                }
            }
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const KernelPlace& left, const KernelPlace& right) { return left.name < right.name; });
    return places;
}

std::span<const KernelPlace> next_kernel(std::span<const KernelPlace>& rest) {
    const auto end = std::find_if(rest.begin(), rest.end(), [&](const KernelPlace& place) { return place.name != rest.front().name; });
    const auto group = rest.first(static_cast<std::size_t>(end - rest.begin()));
    rest = rest.subspan(group.size());
    return group;
}

Decision decision_for(std::span<const KernelPlace> places, const Decision& of_module, const FileCoverage& file,
                      const Situation& situation) {
    if (!of_module.image) {
        return of_module;
    }
    const ImageChoice& choice = *of_module.image;
    const Module& module = file.modules[choice.module];
    const Image& image = module.images[choice.image];
    const auto taken = std::find_if(places.begin(), places.end(),
                                    [&](const KernelPlace& place) { return place.module == choice.module && place.image == choice.image; });
    if (taken == places.end()) {
        if (!image.payload_read || places.empty()) { // not read, or a module of variables only: nothing that could be lacking
            return of_module;
        }
        return module.kind == ModuleKind::linked ? not_in_linked_image(choice, module, situation) : not_in_image(choice, situation);
    }
    Decision decision = of_module;
    note_hollow_body(decision, *taken, places, file);
    return decision;
}

} // namespace cag::compat
