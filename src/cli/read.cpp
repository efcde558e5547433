#include "cli/read.hpp"

#include <algorithm>

namespace cag {

Coverage read_inputs(const InputOptions& options, ScanDepth depth) {
    ScanOptions scan_options;
    scan_options.depth = depth;
    scan_options.limits = options.limits;
    scan_options.threads = options.threads;
    return scan(options.paths, scan_options);
}

bool is_partial(const Coverage& coverage) {
    return std::any_of(coverage.files.begin(), coverage.files.end(), [](const FileCoverage& file) { return !file.problems.empty(); });
}

} // namespace cag
