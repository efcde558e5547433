// Which files belong to which package.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <string>
#include <vector>

namespace cag {

// An archive, an installed distribution, or the path that was asked for.
struct PackageContent {
    std::string path;                       // of the archive, or of the folder that is the package
    std::vector<const FileCoverage*> files; // of the coverage, which outlives this
    std::vector<const TextFile*> texts;
    std::size_t first_file = 0; // index of the first file in the coverage
};

// In the order in which they are met.
[[nodiscard]] std::vector<PackageContent> packages_in(const Coverage& coverage, const std::vector<std::string>& inputs);

} // namespace cag
