#include "survey/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace cag {
namespace {

namespace fs = std::filesystem;

// Reads a descriptor to its end or until the time is up; the end of the writer's life is the end of the text.
bool drain(int descriptor, std::chrono::milliseconds patience, std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        pollfd wait{descriptor, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            return false;
        }
        char block[4096];
        const ssize_t got = ::read(descriptor, block, sizeof block);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return true;
        }
        if (text.size() < (std::size_t{64} << 20)) {
            text.append(block, static_cast<std::size_t>(got));
        }
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

bool is_program(const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

Host this_host() {
    Host host;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string assignment = *entry;
        const auto equals = assignment.find('=');
        if (equals != std::string::npos) {
            host.environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
        }
    }
    return host;
}

Host host_at(const std::string& root) {
    Host host;
    host.root = root;
    while (host.root.size() > 1 && host.root.back() == '/') {
        host.root.pop_back();
    }
    host.live = false;
    host.environment["PATH"] = "/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    return host;
}

std::string variable(const Host& host, const std::string& name) {
    const auto found = host.environment.find(name);
    return found == host.environment.end() ? "" : found->second;
}

// Follows links component by component, so that an absolute link inside another root stays inside it.
std::string resolved(const Host& host, const std::string& path) {
    std::vector<std::string> left;
    const auto push = [&](const std::string& text) {
        std::vector<std::string> parts;
        for (const fs::path& part : fs::path(text)) {
            if (!part.empty() && part != "/" && part != ".") {
                parts.push_back(part.string());
            }
        }
        left.insert(left.end(), parts.rbegin(), parts.rend());
    };
    push(path);
    std::string done;
    for (int links = 0; !left.empty();) {
        const std::string part = left.back();
        left.pop_back();
        if (part == "..") {
            done.erase(std::min(done.find_last_of('/'), done.size()));
            continue;
        }
        const std::string next = done + "/" + part;
        std::error_code error;
        const fs::path target = fs::read_symlink(host.root + next, error);
        if (error || ++links > 40) {
            done = next;
            continue;
        }
        if (target.is_absolute()) {
            done.clear();
        }
        push(target.string());
    }
    return done.empty() ? "/" : done;
}

std::string real_path(const Host& host, const std::string& path) { return host.root.empty() ? path : host.root + resolved(host, path); }

bool exists(const Host& host, const std::string& path) {
    std::error_code error;
    return fs::exists(real_path(host, path), error);
}

bool is_folder(const Host& host, const std::string& path) {
    std::error_code error;
    return fs::is_directory(real_path(host, path), error);
}

std::optional<std::string> read_text(const Host& host, const std::string& path, std::size_t limit) {
    // Files of /proc and /sys say that they are empty, so their size is no guide.
    const int descriptor =
        ::open(real_path(host, path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (descriptor < 0) {
        return std::nullopt;
    }
    std::string text;
    char block[4096];
    ssize_t got = 0;
    while (text.size() < limit && (got = ::read(descriptor, block, sizeof block)) > 0) {
        text.append(block, static_cast<std::size_t>(got));
    }
    ::close(descriptor);
    return got < 0 ? std::nullopt : std::optional(std::move(text));
}

std::vector<std::string> entries(const Host& host, const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(real_path(host, folder), error), end; !error && entry != end; entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> link_target(const Host& host, const std::string& path) {
    std::error_code error;
    const fs::path target = fs::read_symlink(host.root + path, error);
    return error ? std::nullopt : std::optional(target.string());
}

std::vector<std::string> which_all(const Host& host, const std::string& program) {
    std::vector<std::string> found;
    const std::string path = variable(host, "PATH");
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string candidate = path.substr(begin, end - begin) + "/" + program;
        if (end > begin && is_program(real_path(host, candidate)) && std::find(found.begin(), found.end(), candidate) == found.end()) {
            found.push_back(candidate);
        }
        begin = end + 1;
    }
    return found;
}

std::string which(const Host& host, const std::string& program) {
    const auto all = which_all(host, program);
    return all.empty() ? "" : all.front();
}

RunResult run_program(const Host& host, const std::vector<std::string>& command) {
    RunResult result;
    int ends[2];
    if (!host.live || command.empty() || ::pipe2(ends, O_CLOEXEC) != 0) {
        return result;
    }
    std::vector<std::string> assignments;
    for (const auto& [name, value] : host.environment) {
        assignments.push_back(name + "=" + value);
    }
    const auto pointers = [](const std::vector<std::string>& texts) {
        std::vector<char*> list;
        for (const std::string& text : texts) {
            list.push_back(const_cast<char*>(text.c_str())); // NOLINT(cppcoreguidelines-pro-type-const-cast)
        }
        list.push_back(nullptr);
        return list;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, real_path(host, command.front()).c_str(), &actions, nullptr, pointers(command).data(),
                                     pointers(assignments).data());
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failed == 0) {
        result.started = true;
        result.timed_out = !drain(ends[0], host.patience, result.out);
        if (result.timed_out) {
            ::kill(child, SIGKILL);
        }
        const int status = wait_for(child);
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    ::close(ends[0]);
    return result;
}

std::optional<std::string> in_child(const Host& host, const std::function<std::string()>& work, std::string& why) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        why = "no pipe could be made";
        return std::nullopt;
    }
    const pid_t child = ::fork();
    if (child == 0) {
        // Libraries that complain on standard error would mix with our output.
        const int nowhere = ::open("/dev/null", O_RDWR); // NOLINT(cppcoreguidelines-pro-type-vararg)
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
        for (const auto& [name, value] : host.environment) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
        const std::string text = work();
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t some = ::write(ends[1], text.data() + sent, text.size() - sent);
            if (some <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(some);
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    std::optional<std::string> answer;
    if (child < 0) {
        why = fmt::format("no process could be started: {}", std::strerror(errno));
    } else {
        std::string text;
        const bool ended = drain(ends[0], host.patience, text);
        if (!ended) {
            ::kill(child, SIGKILL);
        }
        const int status = wait_for(child);
        if (!ended) {
            why = fmt::format("it did not answer within {} s", host.patience.count() / 1000);
        } else if (WIFSIGNALED(status)) {
            why = fmt::format("it crashed with signal {}", WTERMSIG(status));
        } else {
            answer = std::move(text);
        }
    }
    ::close(ends[0]);
    return answer;
}

} // namespace cag
