#include "doctor/libraries.hpp"

#include "input/file.hpp"
#include "object/object.hpp"
#include "survey/text.hpp"

#include <algorithm>

namespace cag {
namespace {

constexpr std::size_t most_files = 500; // of one program

// DT_RUNPATH counts for the object that has it; DT_RPATH, where there is no RUNPATH, for what it loads as well. The difference is between
// libraries of one name in several places, which is not what is asked here.
std::vector<std::string> own_folders(const ObjectFile& object, const std::string& folder) {
    std::vector<std::string> folders;
    for (std::string path : object.search_folders) {
        for (const std::string& origin : {std::string("${ORIGIN}"), std::string("$ORIGIN")}) {
            for (std::size_t at = path.find(origin); at != std::string::npos; at = path.find(origin, at + folder.size())) {
                path.replace(at, origin.size(), folder);
            }
        }
        folders.push_back(std::move(path));
    }
    return folders;
}

void add_configured(const Host& host, const std::string& file, std::vector<std::string>& folders) {
    const std::string text = read_text(host, file).value_or("");
    for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with('/')) {
            folders.emplace_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
        }
    }
}

// What ld.so.conf says, then the folders that are built into the loader.
std::vector<std::string> system_folders(const Host& host) {
    std::vector<std::string> folders;
    add_configured(host, "/etc/ld.so.conf", folders);
    for (const std::string& name : entries(host, "/etc/ld.so.conf.d")) {
        if (name.ends_with(".conf")) {
            add_configured(host, "/etc/ld.so.conf.d/" + name, folders);
        }
    }
    for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/lib/x86_64-linux-gnu",
                               "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}) {
        folders.emplace_back(folder);
    }
    return folders;
}

// The driver brings these; where there is no driver, they are missing by right, and they hold no kernels of the program's.
bool is_of_driver(const std::string& name) {
    return name.starts_with("libcuda.so") || name.starts_with("libnvidia-") || name.starts_with("libnvcuvid.so");
}

std::string first_with(const Host& host, const std::vector<std::string>& folders, const std::string& name) {
    const auto folder = std::find_if(folders.begin(), folders.end(),
                                     [&](const std::string& one) { return !one.empty() && exists(host, one + "/" + name); });
    return folder == folders.end() ? "" : *folder + "/" + name;
}

} // namespace

LoadedFiles loaded_files(const Host& host, const std::string& program, const std::vector<std::string>& folders, const Limits& limits) {
    std::vector<std::string> everywhere;
    const std::string loader_path = variable(host, "LD_LIBRARY_PATH");
    for (const std::string_view folder : split(loader_path, ':')) {
        everywhere.emplace_back(folder);
    }
    const std::vector<std::string> system = system_folders(host);
    everywhere.insert(everywhere.end(), system.begin(), system.end());
    everywhere.insert(everywhere.end(), folders.begin(), folders.end());

    LoadedFiles loaded{{program}, {}};
    for (std::size_t i = 0; i < loaded.files.size() && loaded.files.size() < most_files; ++i) {
        const std::string file = loaded.files[i];
        const auto source = FileSource::open(real_path(host, file));
        const auto object = source && is_elf(ByteView(**source)) ? read_elf(ByteView(**source), limits) : failure("", "");
        if (!object) {
            continue; // the scan says what is wrong with it
        }
        const std::string folder = file.substr(0, file.find_last_of('/'));
        std::vector<std::string> places = own_folders(*object, folder);
        places.insert(places.end(), everywhere.begin(), everywhere.end());
        places.push_back(folder); // where a program's start script would point LD_LIBRARY_PATH
        for (const std::string& name : object->needed) {
            const std::string path = name.find('/') != std::string::npos ? name : first_with(host, places, name);
            std::vector<std::string>& list = path.empty() ? loaded.missing : loaded.files;
            const std::string& entry = path.empty() ? name : path;
            if (!(path.empty() && is_of_driver(name)) && std::find(list.begin(), list.end(), entry) == list.end()) {
                list.push_back(entry);
            }
        }
    }
    return loaded;
}

} // namespace cag
