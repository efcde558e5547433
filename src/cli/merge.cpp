// merge RESULT...: the results of several runs as one.
#include "report/merge.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"

#include <fstream>
#include <iterator>

namespace cag {

int run(const MergeOptions& options) {
    std::vector<NamedResult> results;
    for (const std::string& path : options.results) {
        std::ifstream file(path, std::ios::binary);
        results.push_back({path, {std::istreambuf_iterator<char>(file), {}}});
    }
    const auto merged = merge_results(results);
    if (!merged) {
        return give_up("merge", options.output, merged.error());
    }
    return finish(options.output.format == Format::json ? merged->json : merged->text, merged->status);
}

} // namespace cag
