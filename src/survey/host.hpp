// The machine as files, variables, programs and libraries. Everything that survey and doctor read goes through here, so that a folder can
// stand in for the root of another machine.
#pragma once

#include <cudaarchguard/prediction.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cag {

struct Host {
    std::string root;        // "": this machine; else a folder in place of /, as a mounted disk or an unpacked container image
    Environment environment; // as getenv() would have it
    bool live = true;        // programs may be run and libraries loaded; never done with files of another root by survey itself
    std::vector<std::string> library_folders;  // where NVML and libcuda are looked for before the loader's own places
    std::chrono::milliseconds patience{20000}; // for one program or one library
};

// This machine with this process's environment; or, with a folder, the files under it and nothing else.
[[nodiscard]] Host this_host();
[[nodiscard]] Host host_at(const std::string& root);

[[nodiscard]] std::string variable(const Host& host, const std::string& name);

// Paths are absolute inside the host. Symbolic links that lead out of the root are followed inside it.
[[nodiscard]] std::string real_path(const Host& host, const std::string& path); // where it lies on this machine
[[nodiscard]] bool exists(const Host& host, const std::string& path);
[[nodiscard]] bool is_folder(const Host& host, const std::string& path);
// The text of a file, up to a limit; nullopt where it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const Host& host, const std::string& path, std::size_t limit = std::size_t{1} << 20U);
// Names in a folder, sorted; empty where there is none.
[[nodiscard]] std::vector<std::string> entries(const Host& host, const std::string& folder);
[[nodiscard]] std::optional<std::string> link_target(const Host& host, const std::string& path);
// The path with all links resolved, inside the host.
[[nodiscard]] std::string resolved(const Host& host, const std::string& path);

// The first executable of that name on PATH; "" for none.
[[nodiscard]] std::string which(const Host& host, const std::string& program);
// All of them, in the order of PATH.
[[nodiscard]] std::vector<std::string> which_all(const Host& host, const std::string& program);

struct RunResult {
    bool started = false;
    bool timed_out = false;
    int status = -1;
    std::string out; // standard output and error together
};

// Runs a program with the host's environment. Nothing is run where the host is not live.
[[nodiscard]] RunResult run_program(const Host& host, const std::vector<std::string>& command);

// Calls `work` in a child process and returns what it returned: a driver library that hangs or crashes does not take us with it.
// nullopt: it did not come back; `why` says how it ended.
[[nodiscard]] std::optional<std::string> in_child(const Host& host, const std::function<std::string()>& work, std::string& why);

} // namespace cag
