#include "coverage/link_groups.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cag {

namespace {

struct ModuleIds {
    std::vector<std::string> inputs;      // one an input, in link order
    std::vector<std::string> definitions; // one an input, in the order of the device links that took them
};

// The NUL-terminated texts of a section, without the empty ones between them, which pad.
std::vector<std::string> texts_of(const ByteView& view, const Section& section, const Limits& limits) {
    std::vector<std::string> texts;
    const auto bytes = view.sub(section.offset, section.size, "section of texts").and_then([&](const ByteView& v) {
        return v.bytes(limits.max_table, "section of texts");
    });
    for (std::uint64_t at = 0; bytes && at < bytes->size();) {
        const auto text = text_at(*bytes, at);
        if (!text) {
            break;
        }
        if (!text->empty()) {
            texts.emplace_back(*text);
        }
        at += text->size() + 1;
    }
    return texts;
}

// `__nv_module_id`: the ids that a device link wrote begin with "def ".
ModuleIds read_module_ids(const ByteView& view, const ObjectFile& object, const Limits& limits) {
    ModuleIds ids;
    const Section* section = object.section_named("__nv_module_id");
    if (section == nullptr) {
        section = object.section_named("__nv_mod"); // PE
    }
    if (section == nullptr) {
        return ids;
    }
    for (std::string& text : texts_of(view, *section, limits)) {
        if (text.starts_with("def ")) {
            ids.definitions.push_back(text.substr(4));
        } else if (text != "__NV_MODULE_ID") { // a whole-program unit has no id and keeps the placeholder
            ids.inputs.push_back(std::move(text));
        }
    }
    return ids;
}

// `.nvHRKE` and `.nvHRKI`: external and internal kernels that host code refers to.
std::optional<std::vector<std::string>> read_host_references(const ByteView& view, const ObjectFile& object, const Limits& limits) {
    std::optional<std::vector<std::string>> references;
    for (const char* name : {".nvHRKE", ".nvHRKI"}) {
        if (const Section* section = object.section_named(name)) {
            references = references.value_or(std::vector<std::string>{});
            std::ranges::move(texts_of(view, *section, limits), std::back_inserter(*references));
        }
    }
    return references;
}

std::vector<std::size_t> indices_of(const FileCoverage& file, ModuleKind kind) {
    std::vector<std::size_t> indices;
    for (const Module& module : file.modules) {
        if (module.kind == kind) {
            indices.push_back(module.index);
        }
    }
    return indices;
}

// The link code keeps its inputs in an array with a null at the end, so the array's size tells how many of the "def" ids are its own.
std::map<std::string, std::size_t> groups_by_symbols(const FileCoverage& file, const ByteView& view, const std::vector<Wrapper>& wrappers,
                                                     const ModuleIds& ids, const Limits& limits) {
    const auto arrays = symbols_named(view, "_ZL22__cudaPrelinkedFatbins", limits);
    std::map<std::string, std::size_t> groups;
    std::size_t next = 0;
    for (const Wrapper& wrapper : wrappers) {
        if (wrapper.version != 2) {
            continue;
        }
        const auto array = std::ranges::find(arrays, wrapper.inputs, &Symbol::address);
        const auto module = std::ranges::find(file.modules, wrapper.container, &Module::offset);
        if (array == arrays.end() || array->size < 8 || module == file.modules.end()) {
            return {};
        }
        for (std::uint64_t i = 0; i + 1 < array->size / 8; ++i, ++next) {
            if (next >= ids.definitions.size()) {
                return {};
            }
            groups[ids.definitions[next]] = module->index;
        }
    }
    return groups;
}

std::set<std::string> kernel_names(const Module& module) {
    std::set<std::string> names;
    for (const Image& image : module.images) {
        for (const Kernel& kernel : image.kernels) {
            names.insert(kernel.name);
        }
    }
    return names;
}

std::optional<std::size_t> only_linked_module_with(const FileCoverage& file, const std::vector<std::size_t>& linked, const Module& input) {
    const auto wanted = kernel_names(input);
    std::optional<std::size_t> found;
    for (const std::size_t index : linked) {
        if (!wanted.empty() && std::ranges::includes(kernel_names(file.modules[index]), wanted)) {
            if (found) {
                return std::nullopt;
            }
            found = index;
        }
    }
    return found;
}

// The linked modules in the order of their wrappers, which is the order of the device links.
std::vector<std::size_t> in_link_order(const FileCoverage& file, const std::vector<Wrapper>& wrappers) {
    std::vector<std::size_t> order;
    for (const Wrapper& wrapper : wrappers) {
        const auto module = std::ranges::find(file.modules, wrapper.container, &Module::offset);
        if (wrapper.version == 2 && module != file.modules.end()) {
            order.push_back(module->index);
        }
    }
    return order;
}

// Each device link took a run of the "def" ids, of one at least, in the order of the links. `known` holds the owners that kernels tell;
// what every split that agrees with them says of the other ids is certain too. Nothing where no split agrees.
std::map<std::string, std::size_t> groups_by_order(const std::vector<std::string>& definitions, const std::vector<std::size_t>& links,
                                                   const std::map<std::string, std::size_t>& known) {
    const std::size_t count = definitions.size();
    if (count < links.size() || links.empty()) {
        return {};
    }
    const auto may_own = [&](std::size_t link, std::size_t id) {
        const auto owner = known.find(definitions[id]);
        return owner == known.end() || owner->second == links[link];
    };
    // before[i][j]: ids 0..i can be split so that i is in link j; after[i][j]: likewise from i to the end.
    std::vector<std::vector<bool>> before(count, std::vector<bool>(links.size()));
    auto after = before;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < links.size(); ++j) {
            const bool reachable = i == 0 ? j == 0 : before[i - 1][j] || (j > 0 && before[i - 1][j - 1]);
            before[i][j] = reachable && may_own(j, i);
        }
    }
    for (std::size_t i = count; i-- > 0;) {
        for (std::size_t j = 0; j < links.size(); ++j) {
            const bool reachable =
                i + 1 == count ? j + 1 == links.size() : after[i + 1][j] || (j + 1 < links.size() && after[i + 1][j + 1]);
            after[i][j] = reachable && may_own(j, i);
        }
    }
    std::map<std::string, std::size_t> groups;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::size_t> owners;
        for (std::size_t j = 0; j < links.size(); ++j) {
            if (before[i][j] && after[i][j]) {
                owners.push_back(links[j]);
            }
        }
        if (owners.size() == 1) {
            groups[definitions[i]] = owners.front();
        }
    }
    return groups;
}

// Who owns which input where several device links were made, by module id.
std::map<std::string, std::size_t> groups_of(const FileCoverage& file, const std::vector<std::size_t>& inputs,
                                             const std::vector<std::size_t>& linked, const ByteView& view,
                                             const std::vector<Wrapper>& wrappers, const ModuleIds& ids, const Limits& limits) {
    if (auto groups = groups_by_symbols(file, view, wrappers, ids, limits); !groups.empty()) {
        return groups;
    }
    std::map<std::string, std::size_t> known;
    for (const std::size_t index : inputs) {
        const Module& input = file.modules[index];
        if (const auto owner = only_linked_module_with(file, linked, input); owner && !input.identity.empty()) {
            known[input.identity] = *owner;
        }
    }
    return groups_by_order(ids.definitions, in_link_order(file, wrappers), known);
}

} // namespace

void assign_link_groups(FileCoverage& file, const ByteView& view, const ObjectFile& object, const std::vector<Wrapper>& wrappers,
                        const Limits& limits) {
    const auto inputs = indices_of(file, ModuleKind::relocatable);
    const auto linked = indices_of(file, ModuleKind::linked);
    if (inputs.empty()) {
        return;
    }
    file.host_references = read_host_references(view, object, limits);
    const ModuleIds ids = read_module_ids(view, object, limits);
    if (ids.inputs.size() == inputs.size()) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            file.modules[inputs[i]].identity = ids.inputs[i];
        }
    }
    const auto groups =
        linked.size() > 1 ? groups_of(file, inputs, linked, view, wrappers, ids, limits) : std::map<std::string, std::size_t>{};
    for (const std::size_t index : inputs) {
        Module& input = file.modules[index];
        if (linked.size() == 1) {
            input.linked_by = linked.front();
        } else if (const auto group = groups.find(input.identity); group != groups.end()) {
            input.linked_by = group->second;
        } else {
            input.linked_by = only_linked_module_with(file, linked, input);
        }
    }
}

} // namespace cag
