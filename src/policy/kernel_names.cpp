#include "policy/kernel_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace cag {

namespace {

// Static functions of relocatable code are called `__nv_static_<length>_<tag of that length>_<name>`; the tag names the source file.
std::string without_static_tag(const std::string& name) {
    constexpr std::string_view prefix = "__nv_static_";
    std::size_t length = 0;
    const char* end = name.data() + name.size();
    if (name.starts_with(prefix)) {
        if (const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, length); error == std::errc{}) {
            const auto tag = static_cast<std::size_t>(stop - name.data()) + 1;
            if (length < name.size() && tag + length + 1 < name.size() && name[tag + length] == '_') {
                return name.substr(tag + length + 1);
            }
        }
    }
    return name;
}

// The C++ runtime gives up on names with some thousand parts, which CUTLASS makes. How such a name begins can still be read:
// `cutlass::Kernel<...>(...)`. Empty where it cannot.
std::string outline(std::string_view name) {
    name.remove_prefix(2); // _Z
    const bool nested = !name.empty() && name.front() == 'N';
    if (nested) {
        name.remove_prefix(1);
    }
    std::string text;
    do {
        std::size_t length = 0;
        const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), length);
        name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
        if (error != std::errc{} || length == 0 || length > name.size()) {
            break;
        }
        const std::string_view part = name.substr(0, length);
        text += (text.empty() ? "" : "::") + std::string(part == "_GLOBAL__N_1" ? "(anonymous namespace)" : part);
        name.remove_prefix(length);
    } while (nested);
    return text.empty() ? text : text + (name.starts_with('I') ? "<...>(...)" : "(...)");
}

} // namespace

std::string demangled(const std::string& raw) {
    std::string name = without_static_tag(raw);
    // Without the prefix, __cxa_demangle reads a plain C name such as `f` as a type ("float").
    if (!name.starts_with("_Z")) {
        return name;
    }
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text{abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free};
    if (status == 0 && text) {
        return text.get();
    }
    const std::string beginning = outline(name);
    return beginning.empty() ? name : beginning;
}

std::string short_name(const std::string& name) {
    constexpr std::size_t longest = 64;
    std::string text = demangled(name);
    // The parameter list is the last bracket that opens outside the template arguments.
    int depth = 0;
    for (std::size_t i = 0; i < text.size() && text.size() > longest; ++i) {
        depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
        if (text[i] == '(' && depth == 0 && i > 0 && !text.substr(i).starts_with("(anonymous namespace)")) {
            text = text.substr(0, i) + "(...)";
        }
    }
    if (text.starts_with("void ") && text.size() > longest) {
        text.erase(0, 5); // kernels return nothing
    }
    if (text.size() > longest) {
        text = text.substr(0, longest / 2) + "..." + text.substr(text.size() - longest / 2 + 3);
    }
    return text;
}

std::string list_kernels(const std::vector<std::string>& names, std::size_t shown) {
    // Instances of one template often look the same once shortened.
    std::vector<std::pair<std::string, std::size_t>> items;
    std::size_t listed = 0;
    for (const std::string& name : names) {
        const std::string text = short_name(name);
        if (!items.empty() && items.back().first == text) {
            ++items.back().second;
        } else if (items.size() < shown) {
            items.emplace_back(text, 1);
        } else {
            break;
        }
        ++listed;
    }
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool last = i + 1 == items.size() && listed == names.size();
        text += i == 0 ? "" : last ? " and " : ", ";
        text += items[i].second == 1 ? items[i].first : fmt::format("{} instances of {}", items[i].second, items[i].first);
    }
    if (listed < names.size()) {
        text += fmt::format(" and {} more", names.size() - listed);
    }
    return text;
}

} // namespace cag
