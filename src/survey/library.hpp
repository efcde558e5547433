// A shared library opened by name, for as long as it is needed.
#pragma once

#include "survey/host.hpp"

#include <dlfcn.h>
#include <memory>
#include <string>

namespace cag {

class Library {
  public:
    // Looks in the host's folders, then where the loader looks, then where drivers are usually installed.
    Library(const Host& host, const char* name) {
        for (const std::string& folder : host.library_folders) {
            open(folder + "/" + name);
        }
        if (host.library_folders.empty()) {
            open(name);
            for (const char* folder :
                 {"/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
                  "/usr/local/nvidia/lib64", "/run/opengl-driver/lib", "/usr/lib/aarch64-linux-gnu/tegra"}) {
                open(std::string(folder) + "/" + name);
            }
        }
    }

    [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

    // The function of the first of these names that the library has; nullptr for none.
    template <class Function>
    [[nodiscard]] Function* find(const char* name, const char* older = nullptr) const {
        void* symbol = ::dlsym(handle_.get(), name);
        if (symbol == nullptr && older != nullptr) {
            symbol = ::dlsym(handle_.get(), older);
        }
        return reinterpret_cast<Function*>(symbol); // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    }

  private:
    struct Close {
        void operator()(void* handle) const { ::dlclose(handle); }
    };

    void open(const std::string& name) {
        if (handle_ == nullptr) {
            handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
            if (const char* error = handle_ ? nullptr : ::dlerror(); error != nullptr && problem_.empty()) {
                problem_ = std::string_view(error).find("cannot open shared object file") == std::string_view::npos
                               ? name + " cannot be loaded: " + error
                               : name + " is not installed";
            }
        }
    }

    std::unique_ptr<void, Close> handle_;
    std::string problem_;
};

} // namespace cag
