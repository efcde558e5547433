// Every command and option as data: shell completion and the manual page are made from it, so that they cannot fall behind.
#pragma once

#include <string>
#include <vector>

namespace cag {

struct OptionRow {
    std::string name;                 // "--format"; "PATH" for an argument
    std::string value;                // "FILE", "text|json"; "" for a flag
    std::vector<std::string> choices; // the values it can have, where they are few
    std::string text;
    std::string variable; // its twin in the environment; "" for an argument
};

struct CommandRow {
    std::string name; // "policy check"; "" for the program itself
    std::string text;
    std::string examples;
    std::vector<OptionRow> options;
};

// "bash", "zsh", "fish"
[[nodiscard]] std::string completion_script(const std::vector<CommandRow>& table, const std::string& shell);
// troff, for man(1)
[[nodiscard]] std::string manual_page(const std::vector<CommandRow>& table);

} // namespace cag
