// The lab file: JSON with the keys of docs/schema/lab-1.schema.json. Unknown keys are refused, since a misspelt one would be a requirement
// that nobody checks.
#include "lab/lab.hpp"

#include "arch/spec.hpp"
#include "compat/spec.hpp"
#include "support/date.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

// Thrown inside this file only, so that reading can be written as it is thought.
struct Refused {
    Problem problem;
};

[[noreturn]] void refuse(const std::string& where, const std::string& what) { throw Refused{{"CAG508", where + ": " + what, {}}}; }

void check_keys(const Json& object, const std::string& where, const std::vector<std::string>& allowed) {
    if (!object.is_object()) {
        refuse(where, fmt::format("expected an object, found {}", object.type_name()));
    }
    for (const auto& entry : object.items()) {
        if (std::find(allowed.begin(), allowed.end(), entry.key()) == allowed.end()) {
            refuse(where, fmt::format("expected one of the keys {}, found \"{}\"", fmt::join(allowed, ", "), entry.key()));
        }
    }
}

std::string text_of(const Json& value, const std::string& where) {
    if (!value.is_string()) {
        refuse(where, fmt::format("expected a text, found {}", value.type_name()));
    }
    return value.get<std::string>();
}

std::string text_at(const Json& object, const std::string& key, const std::string& where) {
    return object.contains(key) ? text_of(object[key], where + "." + key) : "";
}

std::vector<std::string> texts_at(const Json& object, const std::string& key, const std::string& where) {
    std::vector<std::string> texts;
    if (!object.contains(key)) {
        return texts;
    }
    const std::string place = where + "." + key;
    if (!object[key].is_array()) {
        refuse(place, fmt::format("expected a list of texts, found {}", object[key].type_name()));
    }
    for (const Json& item : object[key]) {
        texts.push_back(text_of(item, place));
    }
    return texts;
}

unsigned count_at(const Json& object, const std::string& where) {
    if (!object.contains("count")) {
        return 1;
    }
    const Json& value = object["count"];
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 || value.get<std::uint64_t>() > 1'000'000) {
        refuse(where + ".count", fmt::format("expected a number from 1 on, found {}", value.dump()));
    }
    return value.get<unsigned>();
}

std::string date_at(const Json& object, const std::string& key, const std::string& where) {
    std::string date = text_at(object, key, where);
    if (!date.empty() && !is_date(date)) {
        refuse(where + "." + key, fmt::format("expected a date such as 2026-11-30, found `{}`", date));
    }
    return date;
}

Environment environment_at(const Json& object, const std::string& where) {
    Environment environment;
    if (!object.contains("environment")) {
        return environment;
    }
    const Json& variables = object["environment"];
    if (!variables.is_object()) {
        refuse(where + ".environment",
               fmt::format(R"(expected an object such as {{"CUDACXX": "/opt/cuda/bin/nvcc"}}, found {})", variables.type_name()));
    }
    for (const auto& variable : variables.items()) {
        environment[variable.key()] = text_of(variable.value(), where + ".environment." + variable.key());
    }
    return environment;
}

template <class T>
T parsed(Result<T> result, const std::string& where) {
    if (!result) {
        refuse(where, fmt::format("{} ({})", result.error().message, result.error().code));
    }
    return *std::move(result);
}

LabGpu read_gpu(const Json& value, const std::string& where) {
    LabGpu entry;
    if (value.is_object()) {
        check_keys(value, where, {"gpu", "count"});
        if (!value.contains("gpu")) {
            refuse(where, "expected the key \"gpu\", found none");
        }
        entry.gpu = parsed(parse_gpu(text_of(value["gpu"], where)), where);
        entry.count = count_at(value, where);
    } else {
        entry.gpu = parsed(parse_gpu(text_of(value, where)), where);
    }
    return entry;
}

LabMachine read_machine(const Json& json, const std::string& where) {
    check_keys(json, where, {"name", "count", "gpus", "driver", "toolkits", "os", "tags", "from", "until", "environment", "note"});
    LabMachine machine;
    machine.name = text_at(json, "name", where);
    if (machine.name.empty()) {
        refuse(where + ".name", "expected a name, found none");
    }
    machine.count = count_at(json, where);
    if (!json.contains("gpus") || !json["gpus"].is_array() || json["gpus"].empty()) {
        refuse(where + ".gpus", R"(expected a list of GPUs, as in ["RTX 3090", "9.0"], found none)");
    }
    for (const Json& gpu : json["gpus"]) {
        machine.gpus.push_back(read_gpu(gpu, where + ".gpus"));
    }
    if (const std::string driver = text_at(json, "driver", where); !driver.empty()) {
        machine.driver = parsed(parse_driver(driver), where + ".driver");
    }
    for (const std::string& toolkit : texts_at(json, "toolkits", where)) {
        machine.toolkits.push_back(parsed(parse_toolkit(toolkit), where + ".toolkits"));
    }
    machine.os = text_at(json, "os", where);
    machine.tags = texts_at(json, "tags", where);
    machine.from = date_at(json, "from", where);
    machine.until = date_at(json, "until", where);
    if (!machine.from.empty() && !machine.until.empty() && machine.until < machine.from) {
        refuse(where + ".until", fmt::format("expected a day from {} on, found {}", machine.from, machine.until));
    }
    machine.environment = environment_at(json, where);
    return machine;
}

LabGroup read_group(const std::string& name, const Json& json, const std::string& where) {
    check_keys(json, where, {"machines", "tags", "requirement", "jit", "note"});
    LabGroup group;
    group.name = name;
    group.machines = texts_at(json, "machines", where);
    group.tags = texts_at(json, "tags", where);
    const std::string need = text_at(json, "requirement", where);
    if (!need.empty() && need != "must" && need != "should") {
        refuse(where + ".requirement", fmt::format("expected must or should, found `{}`", need));
    }
    group.need = need == "should" ? Need::should : Need::must;
    if (json.contains("jit")) {
        if (!json["jit"].is_boolean()) {
            refuse(where + ".jit", fmt::format("expected true or false, found {}", json["jit"].dump()));
        }
        group.jit = json["jit"].get<bool>();
    }
    return group;
}

void check_names(const Lab& lab) {
    std::set<std::string> names;
    for (const LabMachine& machine : lab.machines) {
        if (!names.insert(machine.name).second) {
            refuse("machines",
                   fmt::format("expected each name once, found `{}` twice; machines of one kind are one entry with a count", machine.name));
        }
    }
    for (const LabGroup& group : lab.groups) {
        for (const std::string& machine : group.machines) {
            if (names.count(machine) == 0) {
                refuse("groups." + group.name, fmt::format("expected machines of this lab, found `{}`", machine));
            }
        }
    }
    for (const LabGroup& group : lab.groups) {
        if (!names.insert(group.name).second) {
            refuse("groups", fmt::format("expected a name of its own, found `{}`, which is a machine too", group.name));
        }
    }
}

Lab read(const Json& json) {
    check_keys(json, "the lab", {"$schema", "lab_version", "name", "machines", "groups", "note"});
    if (!json.contains("lab_version") || json["lab_version"] != 1) {
        refuse("lab_version", fmt::format("expected 1, found {}", json.contains("lab_version") ? json["lab_version"].dump() : "none"));
    }
    if (!json.contains("machines") || !json["machines"].is_array()) {
        refuse("machines", "expected a list of machines, found none");
    }
    Lab lab;
    lab.name = text_at(json, "name", "the lab");
    for (std::size_t i = 0; i < json["machines"].size(); ++i) {
        const Json& machine = json["machines"][i];
        const bool named = machine.is_object() && machine.contains("name") && machine["name"].is_string();
        lab.machines.push_back(
            read_machine(machine, named ? fmt::format("machine {}", machine["name"].get<std::string>()) : fmt::format("machines[{}]", i)));
    }
    if (json.contains("groups")) {
        check_keys(json["groups"], "groups", [&] {
            std::vector<std::string> keys;
            for (const auto& entry : json["groups"].items()) {
                keys.push_back(entry.key());
            }
            return keys;
        }());
        for (const auto& entry : json["groups"].items()) {
            lab.groups.push_back(read_group(entry.key(), entry.value(), "group " + entry.key()));
        }
    }
    check_names(lab);
    return lab;
}

} // namespace

Result<Lab> parse_lab(std::string_view text) {
    try {
        return read(Json::parse(text));
    } catch (const Refused& refused) {
        return tl::unexpected(refused.problem);
    } catch (const Json::exception& error) {
        return failure("CAG508", fmt::format("expected JSON, found: {}", error.what()));
    }
}

Result<Lab> read_lab(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        return failure(
            "CAG508",
            fmt::format("{}: expected a lab file, and it cannot be read; `cuda-arch-guard lab init > lab.json` writes one", path));
    }
    auto lab = parse_lab(text.str());
    if (!lab) {
        return failure("CAG508", path + ": " + lab.error().message);
    }
    return lab;
}

} // namespace cag
