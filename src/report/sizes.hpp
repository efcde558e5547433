// Where the bytes of a file's device code go: they add up, and what no image explains is a line of its own.
#pragma once

#include "report/style.hpp"

#include <cudaarchguard/coverage.hpp>

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <utility>

namespace cag {

struct Sizes {
    struct Images {
        std::size_t count = 0;
        std::uint64_t stored = 0;
        std::uint64_t expanded = 0;
    };
    // What a build without an architecture would save, and how many modules would be left without any image.
    struct Dropped {
        std::uint64_t stored = 0;
        std::size_t emptied_modules = 0;
    };
    std::map<std::pair<Arch, ImageKind>, Images> images;
    std::map<Arch, Dropped> without;
    std::uint64_t headers = 0;
    std::uint64_t padding = 0;
    std::uint64_t unexplained = 0;
    std::uint64_t total = 0; // of the modules; the sum of all the above
};

[[nodiscard]] Sizes sizes_of(const FileCoverage& file);

[[nodiscard]] std::string sizes_text(const FileCoverage& file, const Style& style);
[[nodiscard]] nlohmann::ordered_json sizes_json(const FileCoverage& file);

} // namespace cag
