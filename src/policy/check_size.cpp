// More device code than a program can be linked with.
#include "policy/checks.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace cag {
namespace {

struct DeviceCode {
    std::size_t first_file = 0; // index in the coverage
    std::uint64_t bytes = 0;
    std::set<Arch> archs;
};

// All members of an archive go into one program; other files are programs and libraries by themselves.
using Linked = std::pair<std::string, std::optional<std::string>>; // path, member

Linked linked_as(const FileCoverage& file) {
    Linked linked{file.path, file.member};
    if (file.role == FileRole::object && file.member) {
        const std::size_t archive = file.member->rfind('!');
        linked.second = archive == std::string::npos ? std::nullopt : std::optional{file.member->substr(0, archive)};
    }
    return linked;
}

Finding too_large(const Linked& linked, const DeviceCode& code) {
    std::string archs;
    for (const Arch& arch : code.archs) {
        archs += (archs.empty() ? "" : " ") + to_string(arch);
    }
    Finding finding;
    finding.code = "CAG203";
    finding.level = Level::warning;
    finding.path = linked.first;
    finding.member = linked.second;
    finding.message = fmt::format(
        "{} holds {:.1f} GiB of device code for {} architecture{} ({}); a linker fails (\"relocation truncated to "
        "fit\") where program text and data come to lie more than 2 GiB apart",
        linked.second ? linked.first + "!" + *linked.second : linked.first,
        static_cast<double>(code.bytes) / static_cast<double>(1ULL << 30U), code.archs.size(), code.archs.size() == 1 ? "" : "s", archs);
    finding.fixes = {"name the architectures of the GPUs that the binary is for, and PTX for those not yet built",
                     "nvcc --compress-mode=size (its code needs driver R550 or newer)", "split the library"};
    return finding;
}

} // namespace

std::vector<FileFinding> check_size(const Coverage& coverage) {
    std::map<Linked, DeviceCode> code_of;
    for (std::size_t i = 0; i < coverage.files.size(); ++i) {
        const FileCoverage& file = coverage.files[i];
        DeviceCode& code = code_of.try_emplace(linked_as(file), DeviceCode{i, 0, {}}).first->second;
        for (const Module& module : file.modules) {
            code.bytes += module.size;
            for (const Image& image : module.images) {
                code.archs.insert(image.arch);
            }
        }
    }
    std::vector<FileFinding> findings;
    for (const auto& [linked, code] : code_of) {
        if (code.bytes > too_large_to_link) {
            findings.push_back({code.first_file, too_large(linked, code)});
        }
    }
    return findings;
}

} // namespace cag
