// --help, --version, and command lines that are not valid.
#include "cli/commands.hpp"
#include "cli/output.hpp"

#include <cstdio>

namespace cag {

int run(const Message& message) {
    std::fputs(message.error.c_str(), stderr);
    return finish(message.out, message.status);
}

} // namespace cag
