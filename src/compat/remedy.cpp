#include "compat/remedy.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::compat {
namespace {

Arch plain_arch(ComputeCapability capability) { return {capability.major, capability.minor, Variant::plain}; }

// "built with CUDA 12.9 or older" where newer toolkits have dropped the GPU; "" where the newest still builds for it.
std::string last_toolkit_for(Arch arch) {
    const auto range = data::toolkits_building(arch);
    return range && range->last != data::toolkits().back().release ? to_string(range->last) : "";
}

bool still_builds(const std::string& toolkit, Arch arch) {
    const auto release = parse_capability(toolkit); // same form: major, dot, one digit
    const auto range = data::toolkits_building(arch);
    return !release || !range || CudaVersion{release->major, release->minor} <= range->last;
}

Fixes rebuild(Arch arch, const std::string& with) {
    const std::string name = to_string(arch);
    return {
        {Cost::rebuild, fmt::format("rebuild{0}, nvcc: -gencode=arch=compute_{1},code=sm_{1}", with, name)},
        {Cost::rebuild, fmt::format("rebuild{}, CMake: add {}-real to CMAKE_CUDA_ARCHITECTURES", with, name)},
        {Cost::rebuild, fmt::format("rebuild{}, PyTorch extension: add {} to TORCH_CUDA_ARCH_LIST", with, to_string(arch.capability()))}};
}

} // namespace

Fixes add_image(const Situation& situation, const std::string& installed_toolkit) {
    const Arch arch = plain_arch(situation.capability);
    const std::string name = to_string(arch);
    const std::string last = last_toolkit_for(arch);
    Fixes fixes;
    if (last.empty()) {
        fixes.push_back({Cost::other_file, fmt::format("take a build of this package that holds SASS {0}, or PTX of {0} or lower", name)});
        append(fixes, rebuild(arch, ""));
    } else {
        const std::string never =
            still_builds(installed_toolkit, arch) ? "" : fmt::format("; no build made with CUDA {} can hold it", installed_toolkit);
        fixes.push_back(
            {Cost::other_file,
             fmt::format("take a build of this package that was made with CUDA {} or older and holds SASS {}{}", last, name, never)});
        append(fixes, rebuild(arch, fmt::format(" with CUDA {}", last)));
    }
    return fixes;
}

Fixes add_linked_image(const Situation& situation, const std::string& installed_toolkit) {
    Fixes fixes = add_image(situation, installed_toolkit);
    fixes.push_back(
        {Cost::rebuild, "give the same list to the device link as to the compilation: nvcc -dlink takes the -gencode options too"});
    return fixes;
}

Fixes update_driver(const Situation& situation, CudaVersion at_least) {
    for (const data::DriverBranch& row : data::driver_branches()) {
        if (row.cuda >= at_least) {
            if (const auto driver = parse_driver(std::to_string(row.branch)); driver && drives(*driver, situation.gpu)) {
                return {{Cost::driver, fmt::format("update the driver to R{} (CUDA {}) or newer", row.branch, to_string(row.cuda))}};
            }
        }
    }
    return {};
}

Fixes for_new_ptx(const Situation& situation, PtxIsa isa, const std::string& installed_toolkit) {
    Fixes fixes;
    const auto versions = data::ptx_versions();
    const auto known = std::find_if(versions.begin(), versions.end(), [&](const data::PtxVersion& row) { return row.isa >= isa; });
    if (known != versions.end()) {
        fixes = update_driver(situation, known->cuda);
    }
    append(fixes, add_image(situation, installed_toolkit));
    fixes.push_back(
        {Cost::rebuild, fmt::format("build the PTX with a toolkit no newer than the driver's CUDA {}", to_string(situation.driver.cuda))});
    return fixes;
}

Fix unset(const std::string& variable) { return {Cost::variable, "unset " + variable}; }

Fix fetch_again() { return {Cost::other_file, "copy or build the file again"}; }

void append(Fixes& to, Fixes more) { to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())); }

std::vector<std::string> in_order_of_cost(const Fixes& fixes) {
    std::vector<const Fix*> order;
    for (const Fix& fix : fixes) {
        order.push_back(&fix);
    }
    std::stable_sort(order.begin(), order.end(), [](const Fix* left, const Fix* right) { return left->cost < right->cost; });
    std::vector<std::string> texts;
    for (const Fix* fix : order) {
        texts.push_back(fix->text);
    }
    return texts;
}

} // namespace cag::compat
