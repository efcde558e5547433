#include "cli/option_rows.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

namespace cag {
namespace {

// "text|json" as its words; nothing where any value is allowed.
std::vector<std::string> choices_in(const std::string& type) {
    std::vector<std::string> words;
    if (type.find('|') != std::string::npos && type.find_first_of(" =,") == std::string::npos) {
        for (std::size_t begin = 0; begin <= type.size();) {
            const std::size_t end = std::min(type.find('|', begin), type.size());
            words.push_back(type.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return words;
}

void add_rows(const CLI::App& app, const std::string& name, std::vector<CommandRow>& rows) {
    CommandRow row{name, app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options()) {
        const bool positional = option->get_lnames().empty();
        const std::string type = positional || option->get_items_expected_max() == 0 ? "" : option->get_type_name();
        row.options.push_back({positional ? option->get_name(true) : "--" + option->get_lnames().front(), type, choices_in(type),
                               option->get_description(), option->get_envname()});
    }
    rows.push_back(std::move(row));
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        add_rows(*command, name.empty() ? command->get_name() : name + " " + command->get_name(), rows);
    }
}

} // namespace

void name_variables(CLI::App& app) {
    for (CLI::Option* option : app.get_options([](const CLI::Option* one) { return !one->get_lnames().empty(); })) {
        std::string name = option->get_lnames().front();
        if (name == "help" || name == "version") {
            continue;
        }
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
        option->envname("CUDA_ARCH_GUARD_" + name);
    }
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        name_variables(*command);
    }
}

std::vector<CommandRow> command_rows(const CLI::App& app) {
    std::vector<CommandRow> rows;
    add_rows(app, "", rows);
    return rows;
}

} // namespace cag
