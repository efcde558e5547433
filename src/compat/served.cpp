#include "compat/served.hpp"

#include "compat/fit.hpp"
#include "data/tables.hpp"

namespace cag::compat {
namespace {

constexpr unsigned lowest = 20;
constexpr unsigned highest = 299; // far above every known GPU: what still serves there serves whatever comes

// By the number that the driver gives a GPU, whatever driver that is: before CUDA 13 Thor is 10.1.
bool serves(ImageKind kind, Arch arch, ComputeCapability capability) {
    const Environment none;
    const Driver any;
    Gpu gpu;
    gpu.capability = capability;
    const Situation situation(gpu, any, none);
    return (kind == ImageKind::ptx ? ptx_fits(arch, situation) : sass_fits(arch, situation)).answer == Fit::Answer::yes;
}

} // namespace

ServedGpus served_gpus(ImageKind kind, Arch arch) {
    ServedGpus served;
    for (unsigned number = lowest; number <= highest; ++number) {
        const ComputeCapability capability{number / 10, number % 10};
        if (serves(kind, arch, capability)) {
            served.first = served.last == 0 ? number : served.first;
            served.last = number;
        }
    }
    // Of the numbers between, those of GPUs that exist: a Tegra among desktop GPUs at most. Code for Thor's old number, which serves its
    // new one too, has more between them, and keeps the old number alone: better a false alarm than a false promise.
    for (unsigned number = served.first; number < served.last; ++number) {
        const ComputeCapability capability{number / 10, number % 10};
        if (data::is_known_capability(capability) && !serves(kind, arch, capability)) {
            if (served.except != 0) {
                return {served.first, served.except - 1, 0};
            }
            served.except = number;
        }
    }
    served.last = served.last == highest ? ServedGpus::no_end : served.last;
    return served;
}

} // namespace cag::compat
