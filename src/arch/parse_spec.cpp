// Lists of architectures as people write them. The CMake modules hold the same grammar: tests/data/arch_specs.json is the table of cases
// for both.
#include "arch/spec.hpp"
#include "arch/spelling.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cag {
namespace {

constexpr const char* forms = "86 (SASS and PTX), 86-real (SASS), 86-virtual (PTX), 90a, 100f, 8.6 (SASS), 8.6+PTX, sm_86 (SASS), "
                              "compute_86 (PTX), a generation (Ampere), a product (RTX 3090), lab:MACHINE, native, all, all-major";

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

tl::unexpected<Problem> refuse(const char* code, std::string_view item, std::string_view why) {
    return failure(code, fmt::format("\"{}\" is not an architecture or the name of a GPU: {}. Allowed: {}", item, why, forms));
}

// --- The list's items ---

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) {
            parts.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool is_of_lab(std::string_view lower) { return lower.substr(0, 4) == "lab:"; }

bool is_set_name(std::string_view word) { return word == "native" || word == "all" || word == "all-major" || is_of_lab(word); }

// True for a word that stands for itself: then a space before or after it separates.
bool is_one_word_item(const std::string& word) {
    const std::string lower = lower_case(word);
    const auto spelling = detail::take_apart(lower);
    return is_set_name(lower) || data::find_generation(lower) != nullptr || (spelling && detail::targets_of(*spelling));
}

std::vector<std::string> items_of(std::string_view text) {
    std::vector<std::string> items;
    for (const std::string& piece : split(text, ";,")) {
        const auto words = split(piece, " \t\r\n");
        if (std::all_of(words.begin(), words.end(), is_one_word_item)) {
            items.insert(items.end(), words.begin(), words.end());
        } else {
            items.push_back(fmt::format("{}", fmt::join(words, " ")));
        }
    }
    return items;
}

// --- What one item means ---

bool builds(const data::Toolkit& toolkit, const Target& target) {
    const auto& archs = target.code == Code::sass ? toolkit.real : toolkit.virtual_archs;
    return std::find(archs.begin(), archs.end(), target.arch) != archs.end();
}

Target sass(ComputeCapability capability) { return {Arch{capability.major, capability.minor, Variant::plain}, Code::sass}; }

std::vector<Target> generation(const data::Generation& generation) {
    std::vector<Target> targets;
    for (const ComputeCapability capability : generation.capabilities) {
        targets.push_back(sass(capability));
    }
    targets.push_back({targets.back().arch, Code::ptx});
    return targets;
}

// What nvcc's -arch=all and -arch=all-major mean: every plain target, or each major's first and the oldest; PTX of the highest major.
std::vector<Target> all_of(const data::Toolkit& toolkit, bool majors_only) {
    std::vector<Target> targets;
    Arch highest_major;
    for (const Arch arch : toolkit.real) {
        if (arch.variant == Variant::plain) {
            if (!majors_only || arch.minor == 0 || targets.empty()) {
                targets.push_back({arch, Code::sass});
            }
            highest_major = arch.minor == 0 ? arch : highest_major;
        }
    }
    targets.push_back({highest_major, Code::ptx});
    return targets;
}

Result<std::vector<Target>> native(std::string_view item, const ArchSpecOptions& options) {
    if (options.local_gpus.empty()) {
        return failure("CAG501",
                       fmt::format("\"{}\" means the GPUs of this machine, and there is no GPU: name those that the binary is for, "
                                   "for example 80;90, or use native where the GPU is",
                                   item));
    }
    std::vector<Target> targets;
    for (const ComputeCapability capability : options.local_gpus) {
        targets.push_back(sass(capability));
    }
    return targets;
}

// SASS for every GPU of a machine, or of the machines of a group. What the toolkit does not build is left out where no program must run.
Result<std::vector<Target>> of_lab(std::string_view item, const ArchSpecOptions& options, std::vector<std::string>& notes) {
    std::string_view name = item.substr(4);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    if (!options.lab) {
        return failure("CAG501", fmt::format("\"{}\" names a machine of a lab file, which this command does not read: name the machine's "
                                             "GPUs, for example 80;90",
                                             item));
    }
    if (name.empty()) {
        return refuse("CAG501", item, "name a machine or a group of the lab file behind lab:");
    }
    const auto gpus = options.lab(name);
    if (!gpus) {
        return tl::unexpected(gpus.error());
    }
    std::vector<Target> targets;
    for (const ComputeCapability capability : gpus->must) {
        targets.push_back(sass(capability));
    }
    const data::Toolkit* toolkit = options.toolkit ? data::find_toolkit(*options.toolkit) : nullptr;
    for (const ComputeCapability capability : gpus->should) {
        if (toolkit == nullptr || builds(*toolkit, sass(capability))) {
            targets.push_back(sass(capability));
        } else {
            notes.push_back(fmt::format("\"{}\": sm_{} is left out, CUDA {} does not build it (programs should run there and need not)",
                                        item, to_string(sass(capability).arch), to_string(toolkit->release)));
        }
    }
    return targets;
}

Result<std::vector<Target>> product(std::string_view item) {
    const auto found = data::find_products(item);
    if (found.empty()) {
        const auto similar = data::similar_products(item, 3);
        return refuse("CAG501", item,
                      similar.empty() ? std::string("no GPU of that name is known")
                                      : fmt::format("no GPU of that name is known; did you mean {}?", fmt::join(similar, " or ")));
    }
    std::vector<ComputeCapability> capabilities;
    std::vector<std::string> choices;
    for (const data::Product* candidate : found) {
        std::string choice = fmt::format("{} ({}", candidate->name, to_string(candidate->capability));
        capabilities.push_back(candidate->capability);
        for (const ComputeCapability other : candidate->also) {
            capabilities.push_back(other);
            choice += " or " + to_string(other);
        }
        choices.push_back(choice + ")");
    }
    if (!std::all_of(capabilities.begin(), capabilities.end(), [&](ComputeCapability other) { return other == capabilities.front(); })) {
        choices.resize(std::min<std::size_t>(choices.size(), 8));
        return failure("CAG501",
                       fmt::format("\"{}\" is the name of GPUs of different compute capability: {}. Write the capability of the GPU "
                                   "that is meant, for example {} (nvidia-smi --query-gpu=compute_cap --format=csv)",
                                   item, fmt::join(choices, ", "), to_string(capabilities.front())));
    }
    return std::vector<Target>{sass(capabilities.front())};
}

// Numbers that no toolkit ever built are typing errors, never to be dropped as unsupported.
std::string why_no_toolkit_builds(Arch arch) {
    const Arch plain = {arch.major, arch.minor, Variant::plain};
    if (!data::toolkits_building(plain)) {
        return fmt::format("{} is not an architecture of any known toolkit; it looks like a version (CUDA {}): write what "
                           "nvidia-smi --query-gpu=compute_cap --format=csv says without the dot",
                           to_string(arch), to_string(arch.capability()));
    }
    return fmt::format("sm_{} does not exist: the letter {}; write {}", to_string(arch),
                       arch.variant == Variant::arch_specific ? "a starts from 90 (90a, 100a, 120a)" : "f starts from 100 (100f, 120f)",
                       to_string(plain));
}

const data::Toolkit& toolkit_of(const ArchSpecOptions& options) {
    const data::Toolkit* known = options.toolkit ? data::find_toolkit(*options.toolkit) : nullptr;
    return known ? *known : data::toolkits().back();
}

Result<std::vector<Target>> targets_of_item(const std::string& item, const ArchSpecOptions& options) {
    const std::string lower = lower_case(item);
    if (lower == "native") {
        return native(item, options);
    }
    if (lower == "all" || lower == "all-major") {
        return all_of(toolkit_of(options), lower == "all-major");
    }
    if (const data::Generation* name = data::find_generation(lower)) {
        return generation(*name);
    }
    const auto spelling = detail::take_apart(lower);
    const auto targets = spelling ? detail::targets_of(*spelling) : std::nullopt;
    if (targets) {
        const Arch arch = targets->front().arch;
        if (data::toolkits_building(arch)) {
            return *targets;
        }
        return refuse("CAG501", item, why_no_toolkit_builds(arch));
    }
    if (spelling && spelling->prefix.empty() && spelling->number.size() == 1 && !spelling->minor) {
        return refuse("CAG501", item, fmt::format("write both digits of the compute capability: {0}0 for {0}.0", spelling->number));
    }
    if (const std::string meaning = detail::probable_meaning(lower); !meaning.empty()) {
        return refuse("CAG501", item, meaning);
    }
    return product(item);
}

// --- Whether the toolkit builds it ---

std::string who_builds(Arch arch) {
    std::string text;
    if (const auto range = data::toolkits_building(arch)) {
        text = fmt::format("{} is built by CUDA {} to {}", to_string(arch), to_string(range->first), to_string(range->last));
    }
    // Thor was renumbered: 10.1 up to CUDA 12.9, 11.0 from 13.0.
    if (arch.number() == 101) {
        text += "; from CUDA 13.0 on Thor is called 110";
    } else if (arch.number() == 110) {
        text += "; up to CUDA 12.9 Thor is called 101";
    }
    return text;
}

// Keeps what the toolkit builds. `native` may skip GPUs on its own; anything else only where the caller said so.
Result<std::vector<Target>> keep_buildable(const std::string& item, const std::vector<Target>& targets, const data::Toolkit& toolkit,
                                           bool may_drop, std::vector<std::string>& notes) {
    std::vector<Target> kept;
    std::vector<std::string> advice;
    for (const Target& target : targets) {
        if (builds(toolkit, target)) {
            kept.push_back(target);
        } else if (const std::string who = who_builds(target.arch); std::find(advice.begin(), advice.end(), who) == advice.end()) {
            advice.push_back(who);
        }
    }
    const bool native = lower_case(item) == "native";
    if (!advice.empty() && !may_drop && !(native && !kept.empty())) {
        return failure("CAG504",
                       fmt::format("\"{}\" asks for what CUDA {} does not build: {}. It builds {} to {}. Take another toolkit, or "
                                   "remove the item",
                                   native ? fmt::format("native (GPUs of {})", to_string(targets.front().arch.capability())) : item,
                                   to_string(toolkit.release), fmt::join(advice, ", "), to_string(toolkit.real.front()),
                                   to_string(toolkit.real.back())));
    }
    if (!advice.empty()) {
        notes.push_back(fmt::format("\"{}\": CUDA {} does not build all of it, the rest is left out ({})", item, to_string(toolkit.release),
                                    fmt::join(advice, ", ")));
    }
    return kept;
}

// nvcc refuses SASS of 100 and of 100f in one compile. 100f alone serves the same GPUs.
void drop_plain_beside_family(ArchList& list) {
    const std::vector<Target> all = list.targets;
    for (const Target& family : all) {
        if (family.arch.variant == Variant::family_specific && family.code == Code::sass) {
            const Target plain = {{family.arch.major, family.arch.minor, Variant::plain}, Code::sass};
            const auto twin = std::find(list.targets.begin(), list.targets.end(), plain);
            if (twin != list.targets.end()) {
                list.targets.erase(twin);
                list.notes.push_back(fmt::format("{} is left out: nvcc cannot build it beside {}, which serves the same GPUs",
                                                 to_string(plain), to_string(family)));
            }
        }
    }
}

} // namespace

Result<ArchList> parse_arch_list(std::string_view text, const ArchSpecOptions& options) {
    const auto items = items_of(text);
    if (items.empty()) {
        return failure("CAG501", fmt::format("the list of architectures is empty: name them, for example 80;90. Allowed: {}", forms));
    }
    if (options.toolkit && !data::find_toolkit(*options.toolkit)) {
        return tl::unexpected(parse_toolkit(to_string(*options.toolkit)).error());
    }
    ArchList list;
    for (const std::string& item : items) {
        auto targets = is_of_lab(lower_case(item)) ? of_lab(item, options, list.notes) : targets_of_item(item, options);
        if (targets && options.toolkit) {
            targets = keep_buildable(item, *targets, toolkit_of(options), options.drop_unsupported, list.notes);
        }
        if (!targets) {
            return tl::unexpected(targets.error());
        }
        list.targets.insert(list.targets.end(), targets->begin(), targets->end());
    }
    std::sort(list.targets.begin(), list.targets.end());
    list.targets.erase(std::unique(list.targets.begin(), list.targets.end()), list.targets.end());
    drop_plain_beside_family(list);
    if (list.targets.empty()) {
        return failure("CAG504", fmt::format("nothing is left of \"{}\" after dropping what CUDA {} does not build: {}", text,
                                             to_string(*options.toolkit), fmt::join(list.notes, "; ")));
    }
    return list;
}

Result<CudaVersion> parse_toolkit(std::string_view text) {
    std::vector<std::string> known;
    for (const data::Toolkit& toolkit : data::toolkits()) {
        const std::string release = to_string(toolkit.release);
        if (text == release || (text.size() > release.size() && text.substr(0, release.size() + 1) == release + ".")) {
            return toolkit.release;
        }
        known.push_back(release);
    }
    return failure("CAG504",
                   fmt::format("\"{}\" is not a known CUDA toolkit release. Known: {}. Write it as nvcc --version does, for example 13.0",
                               text, fmt::join(known, " ")));
}

std::string to_string(const Target& target) { return (target.code == Code::sass ? "sm_" : "compute_") + to_string(target.arch); }

} // namespace cag
