#include "package/content.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cag {

namespace {

// In an environment, a package is the folder of a distribution: the one beside its .dist-info. Elsewhere it is the archive, or the path
// that was asked for.
class Grouping {
  public:
    Grouping(const Coverage& coverage, const std::vector<std::string>& inputs) : inputs_(inputs) {
        for (const TextFile& text : coverage.texts) {
            if (!text.member && text.path.ends_with(".dist-info/METADATA")) {
                roots_.insert(parent(parent(text.path)));
            }
        }
    }

    [[nodiscard]] std::string key_of(const std::string& path, bool in_archive) const {
        if (in_archive) {
            return path;
        }
        for (std::string root = parent(path); !root.empty(); root = parent(root)) {
            if (roots_.contains(root)) {
                std::string below = path.substr(root.size() + 1);
                const bool shared = below.starts_with("nvidia/"); // nvidia/cublas, nvidia/cudnn, ...
                auto end = below.find('/');
                end = shared && end != std::string::npos ? below.find('/', end + 1) : end;
                return root + '/' + below.substr(0, end);
            }
        }
        const auto input = std::ranges::find_if(
            inputs_, [&](const std::string& i) { return path == i || path.starts_with(i.ends_with('/') ? i : i + '/'); });
        return input == inputs_.end() ? path : *input;
    }

    // "site-packages/torch-2.8.0.dist-info/METADATA" belongs to "site-packages/torch".
    [[nodiscard]] std::string key_of(const TextFile& text) const {
        const std::string folder = parent(text.path);
        if (text.member || !folder.ends_with(".dist-info")) {
            return key_of(text.path, text.member.has_value());
        }
        const std::string root = parent(folder);
        const std::string name = folder.substr(root.size() + 1);
        return root + '/' + name.substr(0, name.find('-'));
    }

  private:
    static std::string parent(const std::string& path) {
        const auto slash = path.rfind('/');
        return slash == std::string::npos ? "" : path.substr(0, slash);
    }

    const std::vector<std::string>& inputs_;
    std::set<std::string> roots_;
};

} // namespace

std::vector<PackageContent> packages_in(const Coverage& coverage, const std::vector<std::string>& inputs) {
    const Grouping grouping(coverage, inputs);
    std::vector<PackageContent> packages;
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < coverage.files.size(); ++i) {
        const FileCoverage& file = coverage.files[i];
        const std::string key = grouping.key_of(file.path, file.member.has_value());
        const auto [at, added] = index.emplace(key, packages.size());
        if (added) {
            packages.push_back({key, {}, {}, i});
        }
        packages[at->second].files.push_back(&file);
    }
    for (const TextFile& text : coverage.texts) {
        if (const auto at = index.find(grouping.key_of(text)); at != index.end()) {
            packages[at->second].texts.push_back(&text);
        }
    }
    return packages;
}

} // namespace cag
