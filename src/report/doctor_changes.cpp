// What differs between two results of `doctor --format json`: the base of a way back to when it worked.
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace cag {
namespace {

using Json = nlohmann::json;
using Facts = std::map<std::string, std::string>; // what: value

std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

Facts facts_of(const Json& document) {
    Facts facts;
    const Json& machine = document.at("machine");
    facts["driver"] = text_at(machine.at("driver"), "version");
    facts["driver's CUDA"] = text_at(machine.at("driver"), "cuda");
    facts["kernel module"] = text_at(machine.at("driver"), "kernel_version");
    for (const Json& gpu : machine.at("gpus")) {
        facts[fmt::format("GPU {}", gpu.at("index").get<unsigned>())] = text_at(gpu, "name") + " " + text_at(gpu, "capability");
    }
    for (const auto& [name, value] : machine.at("environment").items()) {
        facts["$" + name] = value.get<std::string>();
    }
    const Json& inventory = document.at("inventory");
    for (const Json& toolkit : inventory.at("toolkits")) {
        facts["toolkit " + text_at(toolkit, "folder")] = text_at(toolkit, "version");
    }
    for (const Json& python : inventory.at("pythons")) {
        for (const auto& [name, version] : python.at("packages").items()) {
            facts[text_at(python, "prefix") + ": " + name] = version.get<std::string>();
        }
    }
    facts["verdict"] = text_at(document, "verdict");
    return facts;
}

} // namespace

Result<std::string> doctor_changes(const std::string& before, const std::string& now) {
    try {
        const Facts old_facts = facts_of(Json::parse(before));
        const Facts new_facts = facts_of(Json::parse(now));
        std::string text;
        for (const auto& [what, value] : old_facts) {
            const auto found = new_facts.find(what);
            if (found == new_facts.end()) {
                text += fmt::format("  - {} {}\n", printable(what), printable(value));
            } else if (found->second != value) {
                text += fmt::format("  ~ {}: {} -> {}\n", printable(what), value.empty() ? "none" : printable(value),
                                    found->second.empty() ? "none" : printable(found->second));
            }
        }
        for (const auto& [what, value] : new_facts) {
            if (old_facts.count(what) == 0) {
                text += fmt::format("  + {} {}\n", printable(what), printable(value));
            }
        }
        return text.empty() ? text : "Changed (- gone, + new, ~ other):\n" + text;
    } catch (const Json::exception& problem) {
        return failure("CAG508", fmt::format("expected what `doctor --save` wrote, found something else: {}", problem.what()));
    }
}

} // namespace cag
