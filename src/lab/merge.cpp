// What several sources say of the same machines, made one.
#include "lab/import.hpp"

#include "compat/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

std::string source_of(const ImportedMachine& machine) { return machine.source + (machine.date.empty() ? "" : " (" + machine.date + ")"); }

std::vector<std::pair<std::string, bool>> facts_told(const ImportedMachine& machine) {
    return {{"gpus", !machine.gpus.empty()},
            {"driver", !machine.driver.empty()},
            {"os", !machine.os.empty()},
            {"toolkits", !machine.toolkits.empty()},
            {"tags", !machine.tags.empty()}};
}

// "n01" and "n01.example.org"; a dotted address is a name of its own.
bool is_same_machine(const std::string& left, const std::string& right) {
    const auto short_name = [](const std::string& name) {
        const std::string first = name.substr(0, name.find('.'));
        return first.find_first_not_of("0123456789") == std::string::npos ? name : first;
    };
    const bool one_is_short = (left.find('.') == std::string::npos) != (right.find('.') == std::string::npos);
    return left == right || (one_is_short && short_name(left) == short_name(right));
}

// How many GPUs of each compute capability; nullopt where a name is not known.
std::optional<std::map<ComputeCapability, unsigned>> capabilities_of(const ImportedMachine& machine) {
    std::map<ComputeCapability, unsigned> counts;
    for (const auto& [name, count] : machine.gpus) {
        const auto gpu = parse_gpu(name);
        if (!gpu) {
            return std::nullopt;
        }
        counts[gpu->capability] += count;
    }
    return counts;
}

unsigned gpu_count(const ImportedMachine& machine) {
    unsigned sum = 0;
    for (const auto& entry : machine.gpus) {
        sum += entry.second;
    }
    return sum;
}

enum class Agreement : std::uint8_t { same, more_exact, differs };

// What the second says of the GPUs, beside the first: "gpu:8" and eight H200 agree, and so do H200 and 9.0.
Agreement compare_gpus(const ImportedMachine& known, const ImportedMachine& other) {
    const auto here = capabilities_of(known);
    const auto there = capabilities_of(other);
    if (!here) {
        return there && gpu_count(known) == gpu_count(other) ? Agreement::more_exact : Agreement::differs;
    }
    return here == there || (!there && gpu_count(known) == gpu_count(other)) ? Agreement::same : Agreement::differs;
}

Agreement compare_drivers(const std::string& known, const std::string& other) {
    if (other == known || known.starts_with(other + ".")) {
        return Agreement::same;
    }
    return other.starts_with(known + ".") ? Agreement::more_exact : Agreement::differs;
}

// Slurm tells the kernel ("Linux 6.1.0"), others the distribution.
Agreement compare_systems(const std::string& known, const std::string& other) {
    const bool kernel_there = other.starts_with("Linux ");
    if (known == other || kernel_there) {
        return Agreement::same;
    }
    return known.starts_with("Linux ") ? Agreement::more_exact : Agreement::differs;
}

std::string listed(const std::map<std::string, unsigned>& gpus) {
    std::vector<std::string> items;
    for (const auto& [name, count] : gpus) {
        items.push_back(fmt::format("{} {}", count, name));
    }
    return fmt::format("{}", fmt::join(items, " and "));
}

const std::string& listed(const std::string& text) { return text; }

// Takes what another source says of a machine that is known already.
void add_facts(ImportedMachine& known, const ImportedMachine& other, std::vector<std::string>& conflicts) {
    const auto take = [&](const std::string& fact, auto& here, const auto& there, Agreement agreement) {
        if (there.empty()) {
            return;
        }
        if (here.empty() || agreement == Agreement::more_exact) {
            here = there;
            known.sources[fact] = source_of(other);
        } else if (agreement == Agreement::differs) {
            conflicts.push_back(fmt::format("{}: {}: {} says {}, {} says {}; the first is kept", known.name, fact, known.sources[fact],
                                            listed(here), source_of(other), listed(there)));
        }
    };
    take("gpus", known.gpus, other.gpus, compare_gpus(known, other));
    take("driver", known.driver, other.driver, compare_drivers(known.driver, other.driver));
    take("os", known.os, other.os, compare_systems(known.os, other.os));
    // Of these a machine may have several, and each source know some.
    const auto take_new = [&](const std::string& fact, std::vector<std::string>& here, const std::vector<std::string>& there) {
        for (const std::string& item : there) {
            if (std::find(here.begin(), here.end(), item) == here.end()) {
                here.push_back(item);
                std::string& sources = known.sources[fact];
                if (sources.find(source_of(other)) == std::string::npos) {
                    sources += (sources.empty() ? "" : ", ") + source_of(other);
                }
            }
        }
    };
    take_new("toolkits", known.toolkits, other.toolkits);
    take_new("tags", known.tags, other.tags);
}

// "gpus, driver: nodes.txt (2026-11-30); tags: hosts.csv (2026-10-02)"
std::string note_of(const ImportedMachine& machine, const std::string& date) {
    std::vector<std::pair<std::string, std::string>> by_source; // facts, source
    for (const auto& [fact, told] : facts_told(machine)) {
        if (!told) {
            continue;
        }
        const auto source = machine.sources.find(fact);
        const std::string named = source != machine.sources.end() ? source->second : source_of(machine);
        const auto group = std::find_if(by_source.begin(), by_source.end(), [&](const auto& row) { return row.second == named; });
        if (group == by_source.end()) {
            by_source.emplace_back(fact, named);
        } else {
            group->first += ", " + fact;
        }
    }
    std::string note;
    for (const auto& [facts, source] : by_source) {
        note += fmt::format("{}{}: {}{}", note.empty() ? "" : "; ", facts, source, source.ends_with(")") ? "" : " (" + date + ")");
    }
    return note;
}

} // namespace

Merged merge(const std::vector<ImportedMachine>& machines) {
    Merged merged;
    for (const ImportedMachine& machine : machines) {
        const auto known = std::find_if(merged.machines.begin(), merged.machines.end(),
                                        [&](const ImportedMachine& other) { return is_same_machine(other.name, machine.name); });
        if (known == merged.machines.end()) {
            merged.machines.push_back(machine);
            ImportedMachine& added = merged.machines.back();
            for (const auto& [fact, told] : facts_told(added)) {
                if (told) {
                    added.sources[fact] = source_of(added);
                }
            }
            continue;
        }
        add_facts(*known, machine, merged.conflicts);
    }
    for (const ImportedMachine& machine : merged.machines) {
        for (const auto& entry : machine.gpus) {
            if (const auto gpu = parse_gpu(entry.first); !gpu) {
                merged.conflicts.push_back(fmt::format("{}: {}", machine.name, gpu.error().message));
            }
        }
    }
    return merged;
}

std::string lab_file(const Merged& merged, const std::string& date) {
    Json document{{"lab_version", 1}, {"name", ""}, {"machines", Json::array()}};
    for (const ImportedMachine& machine : merged.machines) {
        Json json{{"name", machine.name}, {"gpus", Json::array()}};
        for (const auto& [gpu, count] : machine.gpus) {
            json["gpus"].push_back(count == 1 ? Json(gpu) : Json{{"gpu", gpu}, {"count", count}});
        }
        if (!machine.driver.empty()) {
            json["driver"] = machine.driver;
        }
        if (!machine.os.empty()) {
            json["os"] = machine.os;
        }
        if (!machine.toolkits.empty()) {
            json["toolkits"] = machine.toolkits;
        }
        if (!machine.tags.empty()) {
            json["tags"] = machine.tags;
        }
        json["note"] = note_of(machine, date);
        document["machines"].push_back(std::move(json));
    }
    document["groups"] = Json::object();
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cag
