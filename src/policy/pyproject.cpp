#include "policy/pyproject.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <functional>
#include <map>

namespace cag {

namespace {

tl::unexpected<Problem> wrong(const std::string& key, const char* expected) {
    return failure("CAG505", fmt::format("[tool.cuda-arch-guard] of pyproject.toml: expected {} for {}", expected, key));
}

Result<void> take(const toml::node& node, const std::string& key, std::vector<std::string>& values) {
    if (const auto text = node.value_exact<std::string>()) {
        values.push_back(*text);
        return {};
    }
    const toml::array* list = node.as_array();
    if (list == nullptr) {
        return wrong(key, "a text or a list of texts");
    }
    for (const toml::node& item : *list) {
        const auto text = item.value_exact<std::string>();
        if (!text) {
            return wrong(key, "a list of texts");
        }
        values.push_back(*text);
    }
    return {};
}

Result<void> take(const toml::node& node, const std::string& key, bool& value) {
    const auto flag = node.value_exact<bool>();
    if (!flag) {
        return wrong(key, "true or false");
    }
    value = *flag;
    return {};
}

} // namespace

Result<std::optional<PyprojectRequirements>> parse_pyproject(const std::string& text) {
    toml::table document;
    try { // Debian's library reports errors in no other way
        document = toml::parse(std::string_view(text));
    } catch (const toml::parse_error& error) {
        return failure("CAG505", fmt::format("pyproject.toml, line {}: {}", error.source().begin.line, std::string(error.description())));
    }
    const toml::table* table = document["tool"]["cuda-arch-guard"].as_table();
    if (table == nullptr) {
        return std::optional<PyprojectRequirements>{};
    }
    PyprojectRequirements found;
    bool no_jit = false;
    std::vector<std::string> scope;
    RequirementTexts& texts = found.requirements;
    const std::map<std::string, std::function<Result<void>(const toml::node&, const std::string&)>> keys{
        {"require-sass", [&](const auto& node, const auto& key) { return take(node, key, texts.sass); }},
        {"require-ptx", [&](const auto& node, const auto& key) { return take(node, key, texts.ptx); }},
        {"runs-on", [&](const auto& node, const auto& key) { return take(node, key, texts.runs_on); }},
        {"driver", [&](const auto& node, const auto& key) { return take(node, key, texts.drivers); }},
        {"env", [&](const auto& node, const auto& key) { return take(node, key, found.environment); }},
        {"no-jit", [&](const auto& node, const auto& key) { return take(node, key, no_jit); }},
        {"scope", [&](const auto& node, const auto& key) { return take(node, key, scope); }},
        {"claims", [&](const auto& node, const auto& key) { return take(node, key, found.claims); }},
        {"claims-from", [&](const auto& node, const auto& key) { return take(node, key, found.claims_from); }},
        {"strict", [&](const auto& node, const auto& key) { return take(node, key, found.strict); }},
        {"allow-empty", [&](const auto& node, const auto& key) { return take(node, key, found.allow_empty); }},
    };
    for (const auto& [name, node] : *table) {
        const std::string key{name.str()};
        const auto known = keys.find(key);
        if (known == keys.end()) {
            std::string allowed;
            for (const auto& entry : keys) {
                allowed += (allowed.empty() ? "" : ", ") + entry.first;
            }
            return failure("CAG505", fmt::format("[tool.cuda-arch-guard] of pyproject.toml: expected one of {}, found {}", allowed, key));
        }
        if (auto done = known->second(node, key); !done) {
            return tl::unexpected(done.error());
        }
    }
    if (scope.size() > 1 || (scope.size() == 1 && scope[0] != "any" && scope[0] != "every")) {
        return wrong("scope", "\"every\" or \"any\"");
    }
    texts.scope = !scope.empty() && scope[0] == "any" ? Scope::any : Scope::every;
    texts.jit_allowed = !no_jit;
    return std::optional{found};
}

} // namespace cag
