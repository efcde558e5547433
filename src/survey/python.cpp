// Python environments and the packages in them, from the metadata that installers write (*.dist-info). Python itself is not run.
#include "survey/inventory.hpp"
#include "survey/text.hpp"

#include <algorithm>
#include <filesystem>

namespace cag {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// libx.so, libx.so.12, x.pyd, x.dll, x.cubin, x.fatbin
bool may_hold_code(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    const auto so = name.find(".so");
    const bool library = so != std::string_view::npos && name.find_first_not_of(".0123456789", so + 3) == std::string_view::npos;
    return library || ends_with(name, ".pyd") || ends_with(name, ".dll") || ends_with(name, ".cubin") || ends_with(name, ".fatbin");
}

bool is_compiler(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    return name == "ptxas" || name == "ptxas-blackwell" || name == "nvcc" || name == "nvlink";
}

// The first field of a line of RECORD, a CSV file.
std::string record_path(std::string_view line) {
    if (line.substr(0, 1) == "\"") {
        return std::string(line.substr(1, line.find('"', 1) - 1));
    }
    return std::string(line.substr(0, line.find(',')));
}

std::string folder_of_package(const std::string& name) {
    std::string folder = lower(name);
    std::replace(folder.begin(), folder.end(), '-', '_');
    return folder;
}

void add_file(PythonPackage& package, const std::string& path) {
    if (may_hold_code(path)) {
        package.libraries.push_back(path);
    } else if (is_compiler(path)) {
        package.others.push_back(path);
    }
}

// A package whose installer left no list of files (conda, old setup.py): what lies in the folder of its name.
void walk(const Host& host, const std::string& folder, PythonPackage& package, int depth) {
    for (const std::string& name : depth > 8 ? std::vector<std::string>{} : entries(host, folder)) {
        const std::string path = folder + "/" + name;
        if (is_folder(host, path)) {
            walk(host, path, package, depth + 1);
        } else {
            add_file(package, path);
        }
    }
}

std::string header_field(const std::string& metadata, const char* key) {
    const std::size_t end = std::min(metadata.find("\n\n"), metadata.size());
    for (const std::string_view line : lines_of(std::string_view(metadata).substr(0, end))) {
        if (line.substr(0, std::string_view(key).size()) == key) {
            return std::string(trimmed(line.substr(std::string_view(key).size())));
        }
    }
    return "";
}

constexpr std::size_t largest_record = std::size_t{64} << 20U;

std::optional<PythonPackage> read_package(const Host& host, const std::string& site, const std::string& info) {
    const bool wheel = ends_with(info, ".dist-info");
    const auto metadata = read_text(host, site + "/" + info + (wheel ? "/METADATA" : "/PKG-INFO"));
    if (!metadata) {
        return std::nullopt;
    }
    PythonPackage package;
    package.folder = site;
    package.name = header_field(*metadata, "Name:");
    package.version = header_field(*metadata, "Version:");
    if (const auto record = wheel ? read_text(host, site + "/" + info + "/RECORD", largest_record) : std::nullopt) {
        for (const std::string_view line : lines_of(*record)) {
            const std::string path = record_path(line);
            if (!path.empty() && path.front() != '/') {
                add_file(package, std::filesystem::path(site + "/" + path).lexically_normal().string());
            }
        }
    } else {
        walk(host, site + "/" + folder_of_package(package.name), package, 0);
    }
    return package;
}

void read_packages(const Host& host, PythonEnvironment& environment) {
    for (const std::string& site : environment.folders) {
        for (const std::string& name : entries(host, site)) {
            if (ends_with(name, ".dist-info") || ends_with(name, ".egg-info")) {
                if (auto package = read_package(host, site, name)) {
                    environment.packages.push_back(std::move(*package));
                }
            }
        }
    }
}

std::vector<std::string> site_folders(const Host& host, const std::string& prefix) {
    std::vector<std::string> folders;
    for (const char* lib : {"/lib", "/lib64"}) {
        for (const std::string& python : entries(host, prefix + lib)) {
            for (const char* packages : {"site-packages", "dist-packages"}) {
                const std::string folder = prefix + lib + "/" + python + "/" + packages;
                if (python.substr(0, 6) == "python" && is_folder(host, folder)) {
                    folders.push_back(folder);
                }
            }
        }
    }
    return folders;
}

void add_environment(const Host& host, std::vector<PythonEnvironment>& pythons, const std::string& prefix, const char* found_by) {
    PythonEnvironment environment;
    environment.prefix = prefix;
    environment.found_by = found_by;
    for (const std::string& folder : site_folders(host, prefix)) {
        const auto is_known = [&](const PythonEnvironment& other) {
            return std::any_of(other.folders.begin(), other.folders.end(),
                               [&](const std::string& known) { return resolved(host, known) == resolved(host, folder); });
        };
        const bool twice = std::any_of(environment.folders.begin(), environment.folders.end(),
                                       [&](const std::string& known) { return resolved(host, known) == resolved(host, folder); });
        if (!twice && std::none_of(pythons.begin(), pythons.end(), is_known)) {
            environment.folders.push_back(folder);
        }
    }
    if (!environment.folders.empty()) {
        read_packages(host, environment);
        pythons.push_back(std::move(environment));
    }
}

// .../bin/python3 of a virtual environment: the folder with pyvenv.cfg. Other interpreters belong to their prefix.
std::string prefix_of(const Host& host, const std::string& python) {
    std::string prefix = python.substr(0, python.find_last_of('/') - 4); // without /bin
    if (exists(host, prefix + "/pyvenv.cfg")) {
        return prefix;
    }
    const std::string file = resolved(host, python);
    return file.size() > 5 && holds(file, "/bin/") ? file.substr(0, file.rfind("/bin/")) : prefix;
}

} // namespace

std::vector<PythonEnvironment> find_pythons(const Host& host, const std::vector<std::string>& prefixes) {
    std::vector<PythonEnvironment> pythons;
    for (const std::string& prefix : prefixes) {
        add_environment(host, pythons, prefix, "asked for");
    }
    if (!prefixes.empty()) {
        return pythons;
    }
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        if (const std::string prefix = variable(host, name); !prefix.empty()) {
            add_environment(host, pythons, prefix, name);
        }
    }
    for (const char* name : {"python3", "python"}) {
        for (const std::string& python : which_all(host, name)) {
            if (holds(python, "/bin/")) {
                add_environment(host, pythons, prefix_of(host, python), "PATH");
            }
        }
    }
    if (const std::string home = variable(host, "HOME"); !home.empty()) {
        add_environment(host, pythons, home + "/.local", "user");
    }
    for (const char* prefix : {"/usr/local", "/usr"}) {
        add_environment(host, pythons, prefix, "system");
    }
    return pythons;
}

const PythonPackage* find_package(const PythonEnvironment& environment, std::string_view name) {
    const std::string wanted = folder_of_package(std::string(name));
    const auto found = std::find_if(environment.packages.begin(), environment.packages.end(),
                                    [&](const PythonPackage& package) { return folder_of_package(package.name) == wanted; });
    return found == environment.packages.end() ? nullptr : &*found;
}

} // namespace cag
