// The manual page, from the table of options.
#include "cli/option_table.hpp"

#include "report/report.hpp"

#include <fmt/format.h>

namespace cag {
namespace {

// What troff would act on.
std::string troff(const std::string& text) {
    std::string shown;
    bool line_is_new = true;
    for (const char c : text) {
        if (line_is_new && (c == '.' || c == '\'')) {
            shown += "\\&";
        }
        shown += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
        line_is_new = c == '\n';
    }
    return shown;
}

} // namespace

std::string manual_page(const std::vector<CommandRow>& table) {
    std::string page =
        fmt::format(".TH CUDA\\-ARCH\\-GUARD 1 \"\" \"cuda\\-arch\\-guard {}\"\n.SH NAME\ncuda\\-arch\\-guard \\- finds missing GPU "
                    "architectures in CUDA binaries\n.SH SYNOPSIS\n.B cuda\\-arch\\-guard\n.I COMMAND\n[\\fIOPTION\\fR...]\n",
                    program_version());
    page += ".SH EXIT STATUS\n0: holds, or done. 1: a requirement is surely not met. 2: not decided.\n";
    for (const CommandRow& row : table) {
        if (row.name.empty()) {
            continue;
        }
        page += fmt::format(".SH {}\n{}\n", troff(row.name), troff(row.text));
        for (const OptionRow& option : row.options) {
            page += fmt::format(".TP\n\\fB{}\\fR{}\n{}{}\n", troff(option.name),
                                option.value.empty() ? "" : " \\fI" + troff(option.value) + "\\fR", troff(option.text),
                                option.variable.empty() ? "" : " (" + troff(option.variable) + ")");
        }
        page += row.examples.empty() ? "" : ".PP\n.nf\n" + troff(row.examples) + "\n.fi\n";
    }
    return page;
}

} // namespace cag
