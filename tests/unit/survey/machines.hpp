// Fake machines: a folder in place of /, and libraries that answer as told.
#pragma once

#include "survey/host.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace cag::test {

class FakeRoot {
  public:
    FakeRoot() {
        std::string name = (std::filesystem::temp_directory_path() / "cag-root-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    FakeRoot(const FakeRoot&) = delete;
    FakeRoot& operator=(const FakeRoot&) = delete;
    ~FakeRoot() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] const std::string& folder() const { return folder_; }

    FakeRoot& file(const std::string& path, const std::string& text) {
        const std::filesystem::path place = folder_ + path;
        std::filesystem::create_directories(place.parent_path());
        std::ofstream(place, std::ios::binary) << text;
        return *this;
    }
    FakeRoot& program(const std::string& path, const std::string& script) {
        file(path, "#!/bin/sh\n" + script);
        std::filesystem::permissions(folder_ + path, std::filesystem::perms::owner_all);
        return *this;
    }
    FakeRoot& link(const std::string& path, const std::string& target) {
        const std::filesystem::path place = folder_ + path;
        std::filesystem::create_directories(place.parent_path());
        std::filesystem::create_symlink(target, place);
        return *this;
    }
    // A card on the PCI bus.
    FakeRoot& card(const std::string& place, const std::string& device, const std::string& driver = "") {
        const std::string folder = "/sys/bus/pci/devices/" + place;
        file(folder + "/vendor", "0x10de\n").file(folder + "/device", "0x" + device + "\n").file(folder + "/class", "0x030200\n");
        return driver.empty() ? *this : link(folder + "/driver", "../../../bus/pci/drivers/" + driver);
    }
    FakeRoot& kernel_module(const std::string& version, bool open = true) {
        return file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX " +
                                                       std::string(open ? "Open Kernel Module for x86_64" : "x86_64 Kernel Module") + "  " +
                                                       version + "  Release Build  (builder@host)\nGCC version:  gcc 12.2.0\n");
    }

    // The machine with only its files.
    [[nodiscard]] Host host() const { return host_at(folder_); }

    // The machine with libraries that answer as `answers` says (fakes/fake_machine.hpp) and with the root's programs.
    [[nodiscard]] Host live_host(const std::string& answers) const {
        Host host = host_at(folder_);
        host.live = true;
        host.library_folders = {CAG_FAKE_LIBRARIES};
        host.environment["FAKE_MACHINE"] = answers;
        host.environment["PATH"] = "/usr/bin";
        return host;
    }

  private:
    std::string folder_;
};

} // namespace cag::test
