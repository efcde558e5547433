#include "cli/pyproject.hpp"

#include "cli/output.hpp"
#include "policy/pyproject.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace cag {

namespace {

bool has_requirements(const VerifyOptions& options) {
    return !options.requirements.sass.empty() || !options.requirements.ptx.empty() || !options.requirements.runs_on.empty() ||
           !options.lab.empty() || options.input.claims;
}

} // namespace

Result<VerifyOptions> with_pyproject(VerifyOptions options) {
    if ((has_requirements(options) || !options.policy.empty()) && options.pyproject.empty()) {
        return options;
    }
    const std::string path = options.pyproject.empty() ? "pyproject.toml" : options.pyproject;
    std::ifstream file(path, std::ios::binary);
    if (!file && options.pyproject.empty()) {
        return options;
    }
    if (!file) {
        return failure("CAG505", fmt::format("expected a pyproject.toml, cannot read {}", path));
    }
    const auto table = parse_pyproject({std::istreambuf_iterator<char>(file), {}});
    if (!table) {
        return tl::unexpected(table.error());
    }
    if (!*table) {
        return options.pyproject.empty()
                   ? Result<VerifyOptions>(options)
                   : failure("CAG505", fmt::format("expected a table [tool.cuda-arch-guard] in {}, found none", path));
    }
    const PyprojectRequirements& found = **table;
    print_note(fmt::format("requirements of [tool.cuda-arch-guard] in {}", path));
    RequirementTexts& texts = options.requirements;
    const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    add(texts.sass, found.requirements.sass);
    add(texts.ptx, found.requirements.ptx);
    add(texts.runs_on, found.requirements.runs_on);
    if (texts.drivers.empty()) {
        texts.drivers = found.requirements.drivers;
    }
    add(options.environment, found.environment);
    texts.jit_allowed = texts.jit_allowed && found.requirements.jit_allowed;
    texts.scope = found.requirements.scope == Scope::any ? Scope::any : texts.scope;
    add(options.input.claims_from, found.claims_from);
    options.input.claims = options.input.claims || found.claims || !found.claims_from.empty();
    options.strict = options.strict || found.strict;
    options.allow_empty = options.allow_empty || found.allow_empty;
    return options;
}

} // namespace cag
