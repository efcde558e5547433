#include "coverage/locate.hpp"

#include "coverage/finder.hpp"
#include "support/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

namespace cag {

namespace {

constexpr std::uint64_t search_range = std::uint64_t{4} << 20; // bytes that one thread searches at a time
constexpr std::uint64_t ptx_head = 4096;                       // how far before `.version` the comments of PTX may begin

enum class Usual : std::uint8_t { other, containers, relocatable_containers, wrappers };

// The sections that CUDA's compilers write. PE cuts names to eight characters.
Usual usual_content(std::string_view name) {
    constexpr std::array<std::string_view, 3> containers{".nv_fatbin", ".nv_fatb", "__NV_CUDA,__nv_fatbin"};
    constexpr std::array<std::string_view, 3> relocatable{"__nv_relfatbin", "__nv_rel", "__NV_CUDA,__nv_relfatbin"};
    constexpr std::array<std::string_view, 3> wrappers{".nvFatBinSegment", ".nvFatBi", "__NV_CUDA,__fatbin"};
    const auto is_one_of = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
    return is_one_of(containers)    ? Usual::containers
           : is_one_of(relocatable) ? Usual::relocatable_containers
           : is_one_of(wrappers)    ? Usual::wrappers
                                    : Usual::other;
}

struct Found {
    std::vector<Container> containers;
    std::vector<Image> bare_images;
    std::vector<Wrapper> wrappers;
    std::vector<Problem> problems;
};

void append(Found& to, Found&& from) {
    std::ranges::move(from.containers, std::back_inserter(to.containers));
    std::ranges::move(from.bare_images, std::back_inserter(to.bare_images));
    std::ranges::move(from.wrappers, std::back_inserter(to.wrappers));
    std::ranges::move(from.problems, std::back_inserter(to.problems));
}

// PTX begins with comments; the text starts behind the last byte that is no text.
std::uint64_t start_of_text(const ByteView& view, std::uint64_t version_at, std::uint64_t not_before) {
    const std::uint64_t begin = std::max(not_before, version_at - std::min(version_at, ptx_head));
    Bytes head(version_at - begin);
    if (!view.read_into(begin, head, "start of PTX")) {
        return version_at;
    }
    const auto is_text = [](std::byte b) {
        return b == std::byte{'\n'} || b == std::byte{'\t'} || b == std::byte{'\r'} || (b >= std::byte{' '} && b < std::byte{0x7f});
    };
    std::uint64_t start = version_at;
    while (start > begin && is_text(head[start - begin - 1])) {
        --start;
    }
    return start;
}

// Device code in bytes that are not known to hold any.
class Search {
  public:
    Search(const ByteView& view, const ObjectFile& object, ScanDepth depth, const Limits& limits)
        : view_(view), object_(object), depth_(depth), limits_(limits) {}

    [[nodiscard]] Found range(std::uint64_t begin, std::uint64_t end) const {
        Found found;
        Finder finder(view_, begin, end);
        while (const auto candidate = finder.next()) {
            if (taken_ >= limits_.max_images) {
                found.problems.push_back(
                    {"CAG404",
                     fmt::format("more than {} containers and images in one file; the rest is not read (--max-images)", limits_.max_images),
                     view_.position(candidate->offset)});
                break;
            }
            finder.skip_to(take(*candidate, begin, found));
        }
        if (finder.problem()) {
            found.problems.push_back(*finder.problem());
        }
        return found;
    }

  private:
    // Keeps what the candidate really is, and returns the offset behind it.
    std::uint64_t take(const Candidate& candidate, std::uint64_t begin, Found& found) const {
        const std::uint64_t nothing = candidate.offset + 1;
        switch (candidate.kind) {
        case Candidate::Kind::container:
            if (const ByteView rest = view_.from(candidate.offset); is_container(rest)) {
                if (auto container = read_container(rest, ScanDepth::headers, limits_)) {
                    found.containers.push_back(*std::move(container));
                    taken_ += 1 + found.containers.back().images.size();
                    return candidate.offset + std::max<std::uint64_t>(found.containers.back().size, 1);
                }
            }
            return nothing;
        case Candidate::Kind::wrapper:
            if (auto wrapper = read_wrapper(view_, object_, candidate.offset, {})) {
                found.wrappers.push_back(*wrapper);
            }
            return nothing;
        case Candidate::Kind::cubin:
            return take_bare(is_cubin(view_.from(candidate.offset)) ? read_cubin(view_.from(candidate.offset), depth_, limits_)
                                                                    : Result<Image>(failure("CAG402", "no cubin")),
                             nothing, found);
        case Candidate::Kind::ptx:
            const ByteView text = view_.from(start_of_text(view_, candidate.offset, begin));
            return take_bare(is_ptx(text) ? read_ptx(text, depth_, limits_) : Result<Image>(failure("CAG402", "no PTX")), nothing, found);
        }
        return nothing;
    }

    std::uint64_t take_bare(Result<Image> image, std::uint64_t nothing, Found& found) const {
        if (!image) {
            return nothing; // bytes that only look like it
        }
        found.bare_images.push_back(*std::move(image));
        ++taken_;
        return std::max(nothing, found.bare_images.back().offset + found.bare_images.back().size);
    }

    ByteView view_;
    const ObjectFile& object_;
    ScanDepth depth_;
    Limits limits_;
    mutable std::atomic<std::uint64_t> taken_{0}; // containers and images, by all threads
};

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// Sections that share bytes with another one: the section table is damaged, and what lies in them is not to be taken from it.
std::vector<bool> overlapping(const ObjectFile& object) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < object.sections.size(); ++i) {
        if (object.sections[i].size > 0) {
            order.push_back(i);
        }
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return object.sections[i].offset; });
    std::vector<bool> overlaps(object.sections.size());
    std::size_t furthest = 0; // the section that reaches furthest so far
    std::uint64_t end = 0;
    for (const std::size_t i : order) {
        if (object.sections[i].offset < end) {
            overlaps[i] = overlaps[furthest] = true;
        }
        if (object.sections[i].offset + object.sections[i].size > end) {
            end = object.sections[i].offset + object.sections[i].size;
            furthest = i;
        }
    }
    return overlaps;
}

// What the sections with known content hold, and which of them need no search: those that hold exactly what they should.
struct UsualSections {
    Found found;
    std::vector<Range> known;
};

UsualSections read_usual_sections(const ByteView& view, const ObjectFile& object, const Limits& limits) {
    UsualSections usual;
    Limits left = limits; // of one file, whatever the number of its sections
    const auto overlaps = overlapping(object);
    for (std::size_t i = 0; i < object.sections.size(); ++i) {
        const Section& section = object.sections[i];
        const Usual content = section.size > 0 ? usual_content(section.name) : Usual::other;
        bool whole = content != Usual::other || section.symbols_or_debug;
        if (content == Usual::wrappers) {
            auto wrappers = read_wrappers(view, object, section, limits);
            whole = wrappers.size() == section.size / wrapper_size;
            std::ranges::move(wrappers, std::back_inserter(usual.found.wrappers));
        } else if (content != Usual::other) {
            const std::size_t problems = usual.found.problems.size();
            const auto bytes = view.sub(section.offset, section.size, "section").value_or(ByteView{});
            auto containers = read_containers(bytes, ScanDepth::headers, left, usual.found.problems);
            for (const Container& container : containers) {
                left.max_images -= static_cast<std::uint32_t>(std::min<std::size_t>(left.max_images, 1 + container.images.size()));
            }
            whole = usual.found.problems.size() == problems &&
                    std::ranges::all_of(containers, [](const Container& container) { return container.problems.empty(); });
            std::ranges::move(containers, std::back_inserter(usual.found.containers));
        }
        if (whole && section.size > 0 && !overlaps[i]) {
            usual.known.push_back({section.offset, section.offset + section.size});
        }
    }
    return usual;
}

// What no known range covers: other sections, gaps between them, and what is appended to the file.
std::vector<Range> unknown_ranges(const ByteView& view, std::vector<Range> known) {
    std::ranges::sort(known, {}, &Range::begin);
    known.push_back({view.size(), view.size()});

    std::vector<Range> unknown;
    std::uint64_t at = 0;
    for (const Range& range : known) {
        while (at < range.begin) {
            const std::uint64_t end = std::min(range.begin, at + search_range);
            unknown.push_back({at, end});
            at = end;
        }
        at = std::max(at, range.end);
    }
    return unknown;
}

Found search_unknown_ranges(const ByteView& view, const ObjectFile& object, std::vector<Range> known, ScanDepth depth, const Limits& limits,
                            unsigned threads) {
    const auto ranges = unknown_ranges(view, std::move(known));
    std::vector<Found> parts(ranges.size());
    const Search search(view, object, depth, limits);
    std::uint64_t bytes = 0;
    for (const Range& range : ranges) {
        bytes += range.end - range.begin;
    }
    parallel_for(ranges.size(), threads_for(bytes, threads),
                 [&](std::size_t i) { parts[i] = search.range(ranges[i].begin, ranges[i].end); });

    // Code that crosses the border of two ranges was read whole by the first; what the second saw of its inside is not code of its own.
    Found all;
    std::uint64_t covered = 0;
    for (Found& part : parts) {
        std::erase_if(part.containers, [&](const Container& c) { return c.offset < covered; });
        std::erase_if(part.bare_images, [&](const Image& i) { return i.offset < covered; });
        for (const Container& container : part.containers) {
            covered = std::max(covered, container.offset + container.size);
        }
        for (const Image& image : part.bare_images) {
            covered = std::max(covered, image.offset + image.size);
        }
        append(all, std::move(part));
    }
    return all;
}

// Damaged sections were read and searched: the containers that the search alone found are added, and those that it found whole replace what
// a section's wrong end had cut. What it saw inside a container is not code of its own.
Found merged(Found usual, Found searched) {
    std::map<std::uint64_t, Container> containers;
    for (Container& container : usual.containers) {
        const std::uint64_t offset = container.offset;
        containers.insert_or_assign(offset, std::move(container));
    }
    const auto is_inside = [&](std::uint64_t offset) {
        auto behind = containers.upper_bound(offset);
        return behind != containers.begin() && offset - std::prev(behind)->first < std::prev(behind)->second.size;
    };
    for (Container& container : searched.containers) {
        const std::uint64_t offset = container.offset;
        const auto known = containers.find(offset);
        const bool was_cut = known != containers.end() && !known->second.problems.empty() && container.problems.empty();
        if (was_cut || !is_inside(offset)) {
            containers.erase(containers.lower_bound(offset), containers.lower_bound(offset + container.size));
            containers.insert_or_assign(offset, std::move(container));
        }
    }
    std::erase_if(searched.bare_images, [&](const Image& image) { return is_inside(image.offset); });
    for (Image& image : searched.bare_images) { // the extent of a damaged cubin ends where other code begins
        if (const auto next = containers.lower_bound(image.offset); next != containers.end()) {
            image.size = std::min(image.size, next->first - image.offset);
            image.expanded_size = image.size;
        }
    }
    usual.containers.clear();
    searched.containers.clear();
    append(usual, std::move(searched));
    for (auto& [offset, container] : containers) {
        usual.containers.push_back(std::move(container));
    }
    return usual;
}

ModuleKind kind_of(Usual content, const Wrapper* wrapper) {
    if (content == Usual::relocatable_containers) {
        return ModuleKind::relocatable;
    }
    if (wrapper != nullptr) {
        return wrapper->version == 2 ? ModuleKind::linked : ModuleKind::registered;
    }
    return content == Usual::containers ? ModuleKind::unregistered : ModuleKind::embedded;
}

} // namespace

void add_container(Container&& container, ModuleKind kind, std::string section, FileCoverage& file, std::vector<PendingPayload>& payloads) {
    Module module;
    module.index = file.modules.size();
    module.kind = kind;
    module.section = std::move(section);
    module.offset = container.offset;
    module.size = container.size;
    module.header_bytes = container.header_bytes;
    module.padding_bytes = container.padding_bytes;
    module.unexplained_bytes = container.unexplained_bytes;
    module.images = std::move(container.images);
    for (const Payload& payload : container.payloads) {
        payloads.push_back({module.index, payload});
    }
    std::ranges::move(container.problems, std::back_inserter(file.problems));
    file.modules.push_back(std::move(module));
}

void add_bare_image(Image&& image, std::string section, FileCoverage& file) {
    Module module;
    module.index = file.modules.size();
    module.kind = ModuleKind::raw;
    module.section = std::move(section);
    module.offset = image.offset;
    module.size = image.size;
    module.images.push_back(std::move(image));
    file.modules.push_back(std::move(module));
}

LocatedCode locate_device_code(const ByteView& view, const ObjectFile& object, ScanDepth depth, const Limits& limits, unsigned threads,
                               FileCoverage& file) {
    // Containers at headers depth, whatever is asked for: their payloads are read afterwards, on all threads.
    UsualSections usual = read_usual_sections(view, object, limits);
    Found found = merged(std::move(usual.found), search_unknown_ranges(view, object, std::move(usual.known), depth, limits, threads));

    std::map<std::uint64_t, const Wrapper*> wrapper_of;
    for (const Wrapper& wrapper : found.wrappers) {
        wrapper_of.emplace(wrapper.container, &wrapper);
    }
    const auto section_name = [&](std::uint64_t offset) {
        const Section* section = object.section_at(offset);
        return section != nullptr ? section->name : std::string("(between sections)");
    };

    LocatedCode code;
    std::ranges::sort(found.bare_images, {}, &Image::offset);
    auto bare = found.bare_images.begin();
    const auto add_bare_before = [&](std::uint64_t offset) {
        for (; bare != found.bare_images.end() && bare->offset < offset; ++bare) {
            std::string section = section_name(bare->offset);
            add_bare_image(std::move(*bare), std::move(section), file);
        }
    };
    for (Container& container : found.containers) {
        add_bare_before(container.offset);
        std::string section = section_name(container.offset);
        const auto wrapper = wrapper_of.find(container.offset);
        const ModuleKind kind = kind_of(usual_content(section), wrapper != wrapper_of.end() ? wrapper->second : nullptr);
        add_container(std::move(container), kind, std::move(section), file, code.payloads);
    }
    add_bare_before(view.size());
    std::ranges::move(found.problems, std::back_inserter(file.problems));
    code.wrappers = std::move(found.wrappers);
    return code;
}

} // namespace cag
