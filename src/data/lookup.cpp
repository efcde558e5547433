#include "data/tables.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace cag::data {
namespace {

bool same_letters(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](unsigned char l, unsigned char r) { return std::tolower(l) == std::tolower(r); });
}

template <class Rows, class Matches>
auto find(const Rows& rows, Matches matches) -> decltype(rows.data()) {
    const auto found = std::find_if(rows.begin(), rows.end(), matches);
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

const Toolkit* find_toolkit(CudaVersion release) {
    return find(toolkits(), [&](const Toolkit& row) { return row.release == release; });
}

const DriverBranch* find_driver_branch(unsigned branch) {
    return find(driver_branches(), [&](const DriverBranch& row) { return row.branch == branch; });
}

const PciDevice* find_pci_device(std::uint16_t device) {
    return find(pci_devices(), [&](const PciDevice& row) { return row.device == device; });
}

const Chip* find_chip(std::string_view name) {
    return find(chips(), [&](const Chip& row) { return same_letters(row.name, name); });
}

const Generation* find_generation(std::string_view name) {
    return find(generations(), [&](const Generation& row) { return same_letters(row.name, name); });
}

const Family* find_family(Arch target) {
    return find(families(), [&](const Family& row) { return row.target == target; });
}

const TegraChip* find_tegra_chip(std::string_view compatible) {
    return find(tegra_chips(), [&](const TegraChip& row) { return row.compatible == compatible; });
}

std::string_view error_name(int code) {
    const ErrorName* row = find(error_names(), [&](const ErrorName& error) { return error.code == code; });
    return row ? row->name : std::string_view();
}

bool is_tegra(ComputeCapability capability) {
    if (capability == ComputeCapability{10, 1}) { // Thor before CUDA 13; the table of chips has the new number
        return true;
    }
    return std::any_of(chips().begin(), chips().end(),
                       [&](const Chip& chip) { return chip.capability == capability && chip.platform == "tegra"; });
}

bool is_known_capability(ComputeCapability capability) { return !architecture_of(capability).empty(); }

std::string_view architecture_of(ComputeCapability capability) {
    if (capability == ComputeCapability{10, 1}) {
        capability = {11, 0};
    }
    const Chip* chip = find(chips(), [&](const Chip& row) { return row.capability == capability; });
    return chip ? chip->architecture : std::string_view();
}

std::optional<ReleaseRange> toolkits_building(Arch arch) {
    std::optional<ReleaseRange> range;
    for (const Toolkit& toolkit : toolkits()) {
        if (std::find(toolkit.virtual_archs.begin(), toolkit.virtual_archs.end(), arch) != toolkit.virtual_archs.end()) {
            range = ReleaseRange{range ? range->first : toolkit.release, toolkit.release};
        }
    }
    return range;
}

} // namespace cag::data
