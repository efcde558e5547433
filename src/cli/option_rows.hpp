// From the options that are declared to their names in the environment, and to the table that completion and manual page are made from.
#pragma once

#include "cli/option_table.hpp"

namespace CLI {
class App;
}

namespace cag {

// Every option has a twin in the environment, for CI systems that set variables more easily than arguments; the command line goes before
// it.
void name_variables(CLI::App& app);

[[nodiscard]] std::vector<CommandRow> command_rows(const CLI::App& app);

} // namespace cag
