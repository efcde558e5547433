#include "compat/fit.hpp"

#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::compat {
namespace {

using Answer = Fit::Answer;

Answer yes_if(bool condition) { return condition ? Answer::yes : Answer::no; }

// Rule 1: SASS X.y serves X.z with z >= y, no other major.
Fit within_the_major(Arch arch, ComputeCapability gpu) {
    const std::string name = "sm_" + to_string(arch);
    if (arch.major != gpu.major) {
        return {Answer::no, 1, Confidence::measured, fmt::format("{} runs on GPUs of major {} only", name, arch.major)};
    }
    return {yes_if(arch.minor <= gpu.minor), 1, Confidence::measured,
            fmt::format("{} serves compute capability {} and later minors of major {}", name, to_string(arch.capability()), arch.major)};
}

// Rule 2: `a` is for exactly its own compute capability, as SASS and as PTX.
Fit exactly_its_own(Arch arch, ComputeCapability gpu, std::string_view prefix) {
    return {yes_if(arch.capability() == gpu), 2, Confidence::measured,
            fmt::format("{}{} serves compute capability {} only", prefix, to_string(arch), to_string(arch.capability()))};
}

// Rule 2: `f` is for its family from its minor upward, as SASS and as PTX.
Fit its_family(Arch arch, ComputeCapability gpu, std::string_view prefix) {
    const data::Family* family = data::find_family(arch);
    if (family == nullptr) {
        const bool possible = arch.major == gpu.major && arch.minor <= gpu.minor;
        return {possible ? Answer::unsure : Answer::no, 2, Confidence::documented,
                fmt::format("the family of {}{} is not in the tables", prefix, to_string(arch))};
    }
    std::vector<std::string> members;
    for (const ComputeCapability member : family->serves) {
        members.push_back(to_string(member));
    }
    return {yes_if(std::find(family->serves.begin(), family->serves.end(), gpu) != family->serves.end()), 2, Confidence::measured,
            fmt::format("{}{} serves its family: {}", prefix, to_string(arch), fmt::join(members, ", "))};
}

// Rule 16: SASS is promised for desktop GPUs among themselves and for a Tegra's own number, not between the two.
Fit across_tegra(Arch arch, const Situation& situation) {
    // Reports for sm_80 and sm_86 on Orin conflict: some ran, some failed.
    const bool disputed = situation.capability == ComputeCapability{8, 7} && (arch.number() == 80 || arch.number() == 86);
    return {Answer::no, 16, disputed ? Confidence::reported : Confidence::documented,
            fmt::format("sm_{} is not promised for {}: NVIDIA promises SASS among desktop GPUs, not between them and Tegra{}",
                        to_string(arch), to_string(situation.capability), disputed ? " (reports conflict; do not rely on it)" : "")};
}

bool is_thor_before_cuda_13(Arch arch) { return arch.major == 10 && arch.minor == 1; }

Arch renumbered(Arch arch) { return {11, 0, arch.variant}; }

} // namespace

Fit sass_fits(Arch arch, const Situation& situation) {
    const ComputeCapability gpu = situation.capability;
    if (is_thor_before_cuda_13(arch) && gpu == ComputeCapability{11, 0}) {
        return {Answer::unsure, 16, Confidence::documented,
                fmt::format("sm_{} is Thor's number before CUDA 13; whether a driver that calls it 11.0 takes such SASS is not known",
                            to_string(arch))};
    }
    switch (arch.variant) {
    case Variant::arch_specific:
        return exactly_its_own(arch, gpu, "sm_");
    case Variant::family_specific:
        return its_family(arch, gpu, "sm_");
    case Variant::plain:
        break;
    }
    Fit fit = within_the_major(arch, gpu);
    if (fit.answer == Answer::yes && data::is_tegra(arch.capability()) != situation.tegra) {
        return across_tegra(arch, situation);
    }
    return fit;
}

// Rule 3: plain PTX serves its target and everything above it, across majors.
Fit ptx_fits(Arch target, const Situation& situation) {
    const ComputeCapability gpu = situation.capability;
    if (is_thor_before_cuda_13(target) && gpu == ComputeCapability{11, 0}) {
        target = renumbered(target); // rule 16: the compiler treats both numbers alike
    }
    switch (target.variant) {
    case Variant::arch_specific:
        return exactly_its_own(target, gpu, "compute_");
    case Variant::family_specific:
        return its_family(target, gpu, "compute_");
    case Variant::plain:
        break;
    }
    return {yes_if(target.capability() <= gpu), 3, Confidence::measured,
            fmt::format("compute_{} serves compute capability {} and every later one", to_string(target), to_string(target.capability()))};
}

} // namespace cag::compat
