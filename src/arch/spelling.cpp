#include "arch/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace cag::detail {
namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

std::string digits_at(std::string_view text, std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    return std::string(text.substr(from, end - from));
}

// "86" or "8" "6" -> "86"; nullopt where it is not a major number followed by one digit.
std::optional<std::string> number_of(const Spelling& spelling) {
    if (!spelling.minor) {
        return spelling.number.size() == 2 || spelling.number.size() == 3 ? std::optional(spelling.number) : std::nullopt;
    }
    return spelling.minor->size() == 1 && spelling.number.size() <= 2 ? std::optional(spelling.number + *spelling.minor) : std::nullopt;
}

// "8.6a" of "86a".
std::string dotted(const std::string& number, const std::string& letter) {
    return number.substr(0, number.size() - 1) + "." + number.back() + letter;
}

} // namespace

std::optional<Spelling> take_apart(std::string_view text) {
    const auto first_digit = std::find_if(text.begin(), text.end(), is_digit);
    if (first_digit == text.end() || text.find(' ') != std::string_view::npos) {
        return std::nullopt;
    }
    Spelling spelling;
    auto position = static_cast<std::size_t>(first_digit - text.begin());
    spelling.prefix = text.substr(0, position);
    spelling.number = digits_at(text, position);
    position += spelling.number.size();
    if (position + 1 < text.size() && text[position] == '.' && is_digit(text[position + 1])) {
        spelling.minor = digits_at(text, position + 1);
        position += 1 + spelling.minor->size();
    }
    const std::string_view rest = text.substr(position);
    if (!rest.empty() && (rest[0] == 'a' || rest[0] == 'f') && (rest.size() == 1 || !std::isalnum(static_cast<unsigned char>(rest[1])))) {
        spelling.letter = rest[0];
        ++position;
    }
    spelling.ending = text.substr(position);
    return spelling;
}

std::optional<std::vector<Target>> targets_of(const Spelling& spelling) {
    const auto number = number_of(spelling);
    const auto arch = number ? parse_arch(*number + spelling.letter) : std::nullopt;
    if (!arch) {
        return std::nullopt;
    }
    const std::vector<Target> sass = {{*arch, Code::sass}};
    const std::vector<Target> ptx = {{*arch, Code::ptx}};
    const std::vector<Target> both = {{*arch, Code::sass}, {*arch, Code::ptx}};
    if (spelling.minor) { // torch: dotted is SASS
        if (spelling.prefix.empty() && (spelling.ending.empty() || spelling.ending == "+ptx")) {
            return spelling.ending.empty() ? sass : both;
        }
        return std::nullopt;
    }
    if (spelling.prefix.empty()) { // CMake: bare is both
        return spelling.ending.empty()         ? std::optional(both)
               : spelling.ending == "-real"    ? std::optional(sass)
               : spelling.ending == "-virtual" ? std::optional(ptx)
                                               : std::nullopt;
    }
    if (spelling.ending.empty()) { // nvcc
        return spelling.prefix == "sm_" ? std::optional(sass) : spelling.prefix == "compute_" ? std::optional(ptx) : std::nullopt;
    }
    return std::nullopt;
}

std::string probable_meaning(std::string_view text) {
    constexpr std::array<std::string_view, 10> switches = {"off",  "on",   "no",       "yes",     "false",
                                                           "true", "none", "notfound", "default", "auto"};
    if (std::find(switches.begin(), switches.end(), text) != switches.end()) {
        return "that is a switch, not an architecture";
    }
    if (const auto flag = text.find("arch="); flag != std::string_view::npos) {
        const auto inner = take_apart(text.substr(flag + 5, text.find_first_of(", ", flag) - flag - 5));
        const std::string number = inner ? inner->number + inner->letter : "86";
        return fmt::format("architectures are asked for here, not flags: write {0} for both SASS and PTX, or {0}-real for SASS", number);
    }
    const auto spelling = take_apart(text);
    if (!spelling) {
        const auto first = take_apart(text.substr(0, text.find(' ')));
        return first && targets_of(*first) ? "separate an architecture from a name with a space by ; (80;RTX 3090)" : "";
    }
    const auto& [prefix, major, minor, letter, ending] = *spelling;
    const auto number = number_of(*spelling);
    const bool nvcc_prefix = prefix == "sm_" || prefix == "compute_";
    if (!number) {
        return prefix.empty() && minor ? "a compute capability is a major number, a dot and one digit: 8.6, 12.0" : "";
    }
    const std::string name = *number + letter;
    if (prefix == "lto_") {
        return fmt::format("LTO-IR is an input of the device link, which no driver loads: write sm_{} and add -dlto to the flags", name);
    }
    if (ending == "+ptx" && (prefix.empty() || nvcc_prefix)) {
        return fmt::format("+PTX belongs to torch's spelling: write {} (SASS and PTX) or {}+PTX", name, dotted(*number, letter));
    }
    if (ending == "-real" || ending == "-virtual") {
        if (prefix.empty() && minor) {
            return fmt::format("{0} is torch's spelling, {1} is CMake's: write {2}{1} or {0}", dotted(*number, letter), ending, name);
        }
        if (nvcc_prefix) {
            return fmt::format("{1} belongs to CMake's spelling: write {0}{2} or {2}{1}", prefix, ending, name);
        }
    }
    if (prefix.empty() && !minor && !ending.empty() && ending[0] == '-') {
        return fmt::format("the only endings are -real (SASS) and -virtual (PTX): write {} for both", name);
    }
    if (ending.empty() && (prefix == "cc" || prefix == "cc_" || prefix == "sm" || prefix == "compute" || (nvcc_prefix && minor))) {
        return fmt::format("write {0}, sm_{0} or compute_{0}", name);
    }
    return "";
}

} // namespace cag::detail
