// Shell completion, from the table of options.
#include "cli/option_table.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

std::string quoted(const std::string& text) {
    std::string shown = "'";
    for (const char c : text) {
        shown += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return shown + "'";
}

// "check init" behind `policy`; "inspect predict ..." behind the program's name.
std::vector<std::string> words_behind(const std::vector<CommandRow>& table, const std::string& command) {
    std::vector<std::string> words;
    const std::string prefix = command.empty() ? "" : command + " ";
    for (const CommandRow& row : table) {
        if (!row.name.empty() && row.name.starts_with(prefix) && row.name.find(' ', prefix.size()) == std::string::npos) {
            words.push_back(row.name.substr(prefix.size()));
        }
    }
    for (const CommandRow& row : table) {
        for (const OptionRow& option : row.options) {
            if (row.name == command && option.name.starts_with("--")) {
                words.push_back(option.name);
            } else if (row.name == command) {
                words.insert(words.end(), option.choices.begin(), option.choices.end());
            }
        }
    }
    return words;
}

std::string bash_script(const std::vector<CommandRow>& table) {
    std::string text = "# bash completion of cuda-arch-guard: source this, or put it into ~/.local/share/bash-completion/completions/\n"
                       "_cuda_arch_guard() {\n"
                       "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
                       "    if [ \"$command\" = policy ] && [ \"$COMP_CWORD\" -gt 2 ]; then command=\"policy ${COMP_WORDS[2]}\"; fi\n"
                       "    if [ \"$COMP_CWORD\" -le 1 ]; then command=; fi\n"
                       "    local words=\n"
                       "    case \"$command|$before\" in\n";
    for (const CommandRow& row : table) {
        for (const OptionRow& option : row.options) {
            if (!option.choices.empty()) {
                text += fmt::format("        {}) words={} ;;\n", quoted(row.name + "|" + option.name),
                                    quoted(fmt::format("{}", fmt::join(option.choices, " "))));
            }
        }
    }
    text += "        *) case \"$command\" in\n";
    for (const CommandRow& row : table) {
        text += fmt::format("            {}) words={} ;;\n", quoted(row.name),
                            quoted(fmt::format("{}", fmt::join(words_behind(table, row.name), " "))));
    }
    return text + "        esac ;;\n"
                  "    esac\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    if [ ${#COMPREPLY[@]} = 0 ]; then COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
                  "}\n"
                  "complete -o filenames -F _cuda_arch_guard cuda-arch-guard\n";
}

// zsh runs bash's completion functions.
std::string zsh_script(const std::vector<CommandRow>& table) {
    return "#compdef cuda-arch-guard\n# zsh completion of cuda-arch-guard: source this from ~/.zshrc\nautoload -U +X bashcompinit && "
           "bashcompinit\n" +
           bash_script(table);
}

std::string fish_script(const std::vector<CommandRow>& table) {
    std::string text = "# fish completion of cuda-arch-guard: put it into ~/.config/fish/completions/\n";
    for (const CommandRow& row : table) {
        const auto space = row.name.find(' ');
        const std::string parent = space == std::string::npos ? "" : row.name.substr(0, space);
        const std::string word = space == std::string::npos ? row.name : row.name.substr(space + 1);
        if (!word.empty()) {
            text += fmt::format("complete -c cuda-arch-guard -n {} -a {} -d {}\n",
                                quoted(parent.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + parent), quoted(word),
                                quoted(row.text));
        }
        for (const OptionRow& option : row.options) {
            if (!option.name.starts_with("--")) {
                if (!option.choices.empty()) {
                    text += fmt::format("complete -c cuda-arch-guard -n {} -f -a {}\n", quoted("__fish_seen_subcommand_from " + word),
                                        quoted(fmt::format("{}", fmt::join(option.choices, " "))));
                }
                continue;
            }
            text += fmt::format("complete -c cuda-arch-guard{} -l {}{}{} -d {}\n",
                                word.empty() ? "" : " -n " + quoted("__fish_seen_subcommand_from " + word), option.name.substr(2),
                                option.value.empty() ? "" : " -r",
                                option.choices.empty() ? "" : " -f -a " + quoted(fmt::format("{}", fmt::join(option.choices, " "))),
                                quoted(option.text));
        }
    }
    return text;
}

} // namespace

std::string completion_script(const std::vector<CommandRow>& table, const std::string& shell) {
    return shell == "bash" ? bash_script(table) : shell == "zsh" ? zsh_script(table) : fish_script(table);
}

} // namespace cag
