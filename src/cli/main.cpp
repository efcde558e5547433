// cuda-arch-guard: one command a file, named after the command. This is the table of contents.
#include "cli/commands.hpp"
#include "cli/output.hpp"

#include <exception>

int main(int argc, char** argv) {
    try {
        const cag::Command command = cag::parse_command_line(argc, argv);
        return std::visit([](const auto& options) { return cag::run(options); }, command);
    } catch (const std::exception& error) {
        cag::print_note(std::string{"CAG901: internal error: "} + error.what());
        return cag::status_undecided;
    }
}
