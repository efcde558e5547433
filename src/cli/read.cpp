#include "cli/read.hpp"

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "input/text_file.hpp"
#include "package/cache.hpp"
#include "package/claims.hpp"
#include "report/merge.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace cag {

namespace {

// Empty where none is wanted, or it cannot be used: then everything is read, and the answer is the same.
std::unique_ptr<ScanCache> open_cache(const InputOptions& options, ScanDepth depth) {
    const std::string path = options.cache_file.empty() ? ScanCache::usual_path() : options.cache_file;
    if ((!options.cache && options.cache_file.empty()) || path.empty()) {
        return nullptr;
    }
    const Limits& l = options.limits;
    const std::string texts = options.claims ? fmt::format("texts {}", fmt::join(options.claims_from, "\n")) : "";
    auto cache = ScanCache::open(path, fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", program_version(), static_cast<int>(depth), texts,
                                                   l.max_expanded_image, l.max_expansion_ratio, l.max_table, l.max_images, l.max_entries,
                                                   l.max_depth, l.max_member, l.max_archive_ratio, l.max_memory));
    if (!cache) {
        print_note(cache.error().code + ": " + cache.error().message);
        return nullptr;
    }
    return *std::move(cache);
}

// Names of files that may say something of a package.
std::function<bool(const std::string&)> texts_wanted(const InputOptions& options) {
    if (!options.claims) {
        return {};
    }
    std::vector<ClaimText> asked;
    std::ranges::transform(options.claims_from, std::back_inserter(asked), parse_claim_text);
    return [asked](const std::string& name) {
        return may_hold_claims(name) || std::ranges::any_of(asked, [&](const ClaimText& text) { return text.is_in(name); });
    };
}

} // namespace

Coverage read_inputs(const InputOptions& options, ScanDepth depth) {
    Progress progress;
    ScanOptions scan_options;
    scan_options.depth = depth;
    scan_options.limits = options.limits;
    scan_options.threads = options.threads;
    scan_options.shard = parse_shard(options.shard).value_or(Shard{});
    scan_options.wants_text = texts_wanted(options);
    if (options.progress) {
        scan_options.progress = [&](const ScanProgress& done) { progress.show(done); };
    }
    const auto cache = open_cache(options, depth);
    if (cache) {
        scan_options.known = [&](const std::string& path) { return cache->get(path); };
    }
    Coverage coverage = scan(options.paths, scan_options);
    if (cache) {
        cache->put(coverage);
    }
    return coverage;
}

Result<std::vector<ClaimText>> read_claim_texts(const InputOptions& options) {
    std::vector<ClaimText> texts;
    for (const std::string& asked : options.claims_from) {
        ClaimText text = parse_claim_text(asked);
        std::error_code error;
        if (std::filesystem::exists(text.name, error)) {
            auto content = text_of_file(text.name);
            if (!content) {
                return failure(content.error().code, fmt::format("--claims-from {}: {}", text.name, content.error().message));
            }
            text.text = *std::move(content);
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<Shard> parse_shard(const std::string& text) {
    if (text.empty()) {
        return Shard{};
    }
    Shard shard;
    const char* end = text.data() + text.size();
    const auto [slash, error] = std::from_chars(text.data(), end, shard.index);
    if (error == std::errc{} && slash != end && *slash == '/') {
        const auto [stop, count_error] = std::from_chars(slash + 1, end, shard.count);
        if (count_error == std::errc{} && stop == end && shard.index >= 1 && shard.index <= shard.count) {
            --shard.index;
            return shard;
        }
    }
    return failure("CAG505", fmt::format("expected I/N for --shard with I from 1 to N, found `{}`; as in --shard 2/8", text));
}

std::string as_part(std::string json, const InputOptions& input, const Coverage& coverage, const std::vector<std::string>& asked) {
    if (input.shard.empty()) {
        return json;
    }
    std::size_t modules = 0;
    for (const FileCoverage& file : coverage.files) {
        modules += file.modules.size();
    }
    return with_shard(json, parse_shard(input.shard).value_or(Shard{}), modules, asked);
}

bool is_partial(const Coverage& coverage) {
    return std::any_of(coverage.files.begin(), coverage.files.end(), [](const FileCoverage& file) { return !file.problems.empty(); });
}

} // namespace cag
