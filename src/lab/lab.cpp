#include "lab/lab.hpp"

#include "compat/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag {

Presence presence_of(const LabMachine& machine, std::string_view date) {
    if (date.empty()) {
        return Presence::here;
    }
    if (!machine.until.empty() && machine.until < date) {
        return Presence::gone;
    }
    return machine.from > date ? Presence::not_yet : Presence::here;
}

bool is_in(const LabGroup& group, const LabMachine& machine) {
    const auto has = [](const std::vector<std::string>& list, const std::string& text) {
        return std::find(list.begin(), list.end(), text) != list.end();
    };
    return has(group.machines, machine.name) ||
           std::any_of(machine.tags.begin(), machine.tags.end(), [&](const std::string& tag) { return has(group.tags, tag); });
}

MachineNeed need_of(const Lab& lab, const LabMachine& machine) {
    MachineNeed need;
    bool in_a_group = false;
    for (const LabGroup& group : lab.groups) {
        if (is_in(group, machine)) {
            need.need = !in_a_group ? group.need : std::min(need.need, group.need);
            need.jit = need.jit && group.jit;
            in_a_group = true;
        }
    }
    return need;
}

Result<std::vector<LabPlace>> places_of(const Lab& lab, const std::vector<std::string>& names, std::string_view date) {
    std::vector<const LabMachine*> machines;
    for (const LabMachine& machine : lab.machines) {
        const auto is_meant = [&](const std::string& name) {
            return name == machine.name || std::any_of(lab.groups.begin(), lab.groups.end(),
                                                       [&](const LabGroup& group) { return group.name == name && is_in(group, machine); });
        };
        const bool meant = names.empty() || std::any_of(names.begin(), names.end(), is_meant);
        if (meant && presence_of(machine, date) != Presence::gone) {
            machines.push_back(&machine);
        }
    }
    std::vector<std::string> known;
    for (const LabMachine& machine : lab.machines) {
        known.push_back(machine.name);
    }
    for (const LabGroup& group : lab.groups) {
        known.push_back(group.name);
    }
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return failure("CAG508",
                           fmt::format("expected a machine or group of the lab, found `{}`; there are {}", name, fmt::join(known, ", ")));
        }
    }
    if (machines.empty()) {
        return failure("CAG508", fmt::format("expected machines, found no machine in {}; there are {}",
                                             names.empty() ? "the lab" : fmt::format("`{}`", fmt::join(names, ", ")),
                                             known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    std::vector<LabPlace> places;
    for (const LabMachine* machine : machines) {
        for (const LabGpu& entry : machine->gpus) {
            LabPlace place{machine, entry.gpu, machine->driver ? *machine->driver : newest_driver_for(entry.gpu), need_of(lab, *machine),
                           presence_of(*machine, date) == Presence::not_yet};
            place.gpu.name = machine->name;
            places.push_back(std::move(place));
        }
    }
    return places;
}

Result<LabGpus> lab_gpus(const Lab& lab, std::string_view name, std::string_view date) {
    const auto places = places_of(lab, {std::string(name)}, date);
    if (!places) {
        return tl::unexpected(places.error());
    }
    LabGpus gpus;
    for (const LabPlace& place : *places) {
        (place.must_run_now() ? gpus.must : gpus.should).push_back(place.gpu.capability);
    }
    return gpus;
}

} // namespace cag
