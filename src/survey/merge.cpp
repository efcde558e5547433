// From sightings to GPUs: two sightings are of one GPU where UUID or PCI place agree.
#include "survey/merge.hpp"

#include "compat/spec.hpp"
#include "data/tables.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cag {
namespace {

constexpr std::array<std::pair<Method, const char*>, 9> method_names{{{Method::driver_api, "driver-api"},
                                                                      {Method::cuda_runtime, "cuda-runtime"},
                                                                      {Method::nvml, "nvml"},
                                                                      {Method::nvidia_smi, "nvidia-smi"},
                                                                      {Method::device_query, "device-query"},
                                                                      {Method::proc, "proc"},
                                                                      {Method::device_tree, "device-tree"},
                                                                      {Method::pci, "pci"},
                                                                      {Method::table, "table"}}};

bool has_identity(const Sighting& gpu) { return !gpu.uuid.empty() || !gpu.pci_bus_id.empty(); }

bool same_gpu(const Sighting& left, const Sighting& right) {
    if (!left.pci_bus_id.empty() && !right.pci_bus_id.empty()) {
        return left.pci_bus_id == right.pci_bus_id; // a UUID may have been made unreadable in a recording
    }
    return !left.uuid.empty() && left.uuid == right.uuid;
}

bool any_same(const MachineGpu& gpu, const Sighting& sighting) {
    return std::any_of(gpu.sightings.begin(), gpu.sightings.end(), [&](const auto& seen) { return same_gpu(seen.second, sighting); });
}

// The first method, in the order of trust, that says anything.
template <class Value, class Read>
std::optional<Fact<Value>> first_of(const MachineGpu& gpu, Read read) {
    for (const auto& [method, sighting] : gpu.sightings) {
        if (const std::optional<Value> value = read(sighting)) {
            return Fact<Value>{*value, method};
        }
    }
    return std::nullopt;
}

std::optional<std::string> said(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

// The capability that all products of a name have; a name that was cut by a table's width ends in dots.
std::optional<ComputeCapability> capability_of_name(std::string name) {
    const bool cut = name.size() > 3 && name.substr(name.size() - 3) == "...";
    if (cut) {
        name = std::string(trimmed(std::string_view(name).substr(0, name.size() - 3)));
    }
    std::optional<ComputeCapability> common;
    for (const data::Product* product : data::find_products(name)) {
        if (!product->also.empty() || (common && *common != product->capability)) {
            return std::nullopt;
        }
        common = product->capability;
    }
    return common;
}

void complete_from_tables(MachineGpu& gpu) {
    const data::PciDevice* device = gpu.pci_device ? data::find_pci_device(gpu.pci_device->value) : nullptr;
    if (!gpu.name && device != nullptr) {
        gpu.name = Fact<std::string>{std::string(device->name), Method::table};
    }
    if (!gpu.capability && device != nullptr) {
        gpu.capability = Fact<ComputeCapability>{device->capability, Method::table};
    }
    if (!gpu.capability && gpu.name) {
        if (const auto capability = capability_of_name(gpu.name->value)) {
            gpu.capability = Fact<ComputeCapability>{*capability, Method::table};
        }
    }
}

void believe(MachineGpu& gpu) {
    std::stable_sort(gpu.sightings.begin(), gpu.sightings.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    gpu.name = first_of<std::string>(gpu, [](const Sighting& seen) { return said(seen.name); });
    gpu.capability = first_of<ComputeCapability>(gpu, [](const Sighting& seen) { return seen.capability; });
    gpu.uuid = first_of<std::string>(gpu, [](const Sighting& seen) { return said(seen.uuid); });
    gpu.pci_bus_id = first_of<std::string>(gpu, [](const Sighting& seen) { return said(seen.pci_bus_id); });
    gpu.pci_device = first_of<std::uint16_t>(gpu, [](const Sighting& seen) { return seen.pci_device; });
    gpu.memory = first_of<std::uint64_t>(gpu, [](const Sighting& seen) { return seen.memory; });
    gpu.mig = first_of<bool>(gpu, [](const Sighting& seen) { return seen.mig; }).value_or(Fact<bool>{false, Method::table}).value;
    gpu.emulated = gpu.name && holds(gpu.name->value, "[ZLUDA]");
    complete_from_tables(gpu);
    gpu.tegra = gpu.capability && data::is_tegra(gpu.capability->value);
}

MachineDriver concluded_driver(const std::vector<MethodAnswer>& answers, MachineDriver driver) {
    for (const Method method : {Method::nvml, Method::nvidia_smi, Method::proc, Method::driver_api}) {
        for (const MethodAnswer& answer : answers) {
            if (answer.method == method && driver.version.empty() && !answer.driver_version.empty()) {
                driver.version = answer.driver_version;
                driver.source = method;
            }
        }
    }
    for (const Method method : {Method::driver_api, Method::nvml, Method::nvidia_smi}) {
        for (const MethodAnswer& answer : answers) {
            if (answer.method == method && !driver.cuda && answer.cuda) {
                driver.cuda = answer.cuda;
            }
        }
    }
    if (!driver.cuda && !driver.version.empty()) {
        if (const auto known = parse_driver(driver.version)) {
            driver.cuda = known->cuda;
        }
    }
    return driver;
}

} // namespace

const char* to_string(Method method) {
    return std::find_if(method_names.begin(), method_names.end(), [&](const auto& row) { return row.first == method; })->second;
}

std::optional<Method> parse_method(std::string_view name) {
    const auto found = std::find_if(method_names.begin(), method_names.end(), [&](const auto& row) { return row.second == name; });
    return found == method_names.end() ? std::nullopt : std::optional(found->first);
}

const char* to_string(ModuleFlavour flavour) {
    return flavour == ModuleFlavour::open ? "open" : flavour == ModuleFlavour::proprietary ? "proprietary" : "unknown";
}

std::string pci_bus_id(std::string_view text) {
    const auto parts = split(text, ':');
    if (parts.size() != 2 && parts.size() != 3) {
        return "";
    }
    const auto tail = split(parts.back(), '.');
    const auto domain = parts.size() == 3 ? number_in<unsigned>(parts.front(), 16) : std::optional(0U);
    const auto bus = number_in<unsigned>(parts[parts.size() - 2], 16);
    const auto slot = number_in<unsigned>(tail.front(), 16);
    const auto function = tail.size() == 2 ? number_in<unsigned>(tail[1], 16) : std::nullopt;
    if (!domain || !bus || !slot || !function || *bus > 0xff || parts[parts.size() - 2].size() != 2) {
        return "";
    }
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *domain, *bus, *slot, *function);
}

std::optional<std::uint16_t> parse_pci_device(std::string_view text) {
    std::string digits = lower(text);
    if (digits.substr(0, 5) == "10de:") {
        digits = digits.substr(5);
    } else if (digits.substr(0, 2) == "0x") {
        digits = digits.substr(2);
    }
    if (digits.size() == 8 && digits.substr(4) == "10de") { // device and vendor in one number
        digits = digits.substr(0, 4);
    }
    return digits.size() == 4 ? number_in<std::uint16_t>(digits, 16) : std::nullopt;
}

std::optional<unsigned> branch_of(std::string_view driver_version) {
    return number_in<unsigned>(driver_version.substr(0, driver_version.find('.')));
}

std::vector<MachineGpu> merged_gpus(const std::vector<MethodAnswer>& answers) {
    std::vector<MachineGpu> gpus;
    const auto add = [&](Method method, const Sighting& sighting) {
        auto found = std::find_if(gpus.begin(), gpus.end(), [&](const MachineGpu& gpu) { return any_same(gpu, sighting); });
        if (found == gpus.end()) {
            found = gpus.insert(gpus.end(), MachineGpu{});
        }
        found->sightings.emplace_back(method, sighting);
    };
    for (const MethodAnswer& answer : answers) {
        for (const Sighting& sighting : answer.gpus) {
            if (has_identity(sighting)) {
                add(answer.method, sighting);
            }
        }
    }
    // Methods that give neither UUID nor place: they describe GPUs that nobody else saw, or, where the numbers agree, the same ones in
    // order.
    for (const MethodAnswer& answer : answers) {
        const bool anonymous = std::none_of(answer.gpus.begin(), answer.gpus.end(), has_identity);
        if (!anonymous || answer.gpus.empty()) {
            continue;
        }
        if (gpus.empty()) {
            gpus.resize(answer.gpus.size());
        }
        for (std::size_t i = 0; i < answer.gpus.size() && answer.gpus.size() == gpus.size(); ++i) {
            gpus[i].sightings.emplace_back(answer.method, answer.gpus[i]);
        }
    }
    std::for_each(gpus.begin(), gpus.end(), believe);
    std::stable_sort(gpus.begin(), gpus.end(), [](const MachineGpu& left, const MachineGpu& right) {
        return (left.pci_bus_id ? left.pci_bus_id->value : "") < (right.pci_bus_id ? right.pci_bus_id->value : "");
    });
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        gpus[i].index = static_cast<unsigned>(i);
    }
    return gpus;
}

void conclude(Machine& machine) {
    machine.gpus = merged_gpus(machine.answers);
    machine.driver = concluded_driver(machine.answers, machine.driver);
    machine.notes = explained(machine);
}

} // namespace cag
