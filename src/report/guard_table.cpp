#include "report/guard_table.hpp"

#include "compat/program.hpp"
#include "compat/served.hpp"
#include "compat/start.hpp"
#include "compat/take.hpp"
#include "coverage/device_link.hpp"
#include "data/tables.hpp"
#include "policy/kernel_names.hpp"

#include <cudaarchguard/guard_table.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace cag {
namespace {

std::uint32_t number(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t number(CudaVersion version) { return version.major * 1000 + version.minor * 10; }

// Which images hold a kernel.
using Places = std::vector<std::uint16_t>;

// A module as the guard sees it, still with its names.
struct ModuleRow {
    std::uint32_t linked = 0; // as in cag_table_module
    std::vector<cag_table_image> images;
    std::map<Places, std::vector<std::string>> groups;
};

const data::PtxVersion* ptx_version(PtxIsa isa) {
    const auto versions = data::ptx_versions();
    const auto row = std::find_if(versions.begin(), versions.end(), [&](const data::PtxVersion& version) { return version.isa == isa; });
    return row == versions.end() ? nullptr : &*row;
}

// By (kind, architecture): a file has many images of few targets.
const compat::ServedGpus& served_by(const Image& image) {
    thread_local std::map<std::pair<ImageKind, Arch>, compat::ServedGpus> known;
    const auto [entry, is_new] = known.try_emplace({image.kind, image.arch});
    if (is_new) {
        entry->second = compat::served_gpus(image.kind, image.arch);
    }
    return entry->second;
}

cag_table_image image_row(const Image& image, std::size_t input) {
    cag_table_image row{};
    row.number = static_cast<std::uint16_t>(image.arch.number());
    row.variant = image.arch.variant == Variant::arch_specific ? 'a' : image.arch.variant == Variant::family_specific ? 'f' : 0;
    row.kind = image.kind == ImageKind::sass ? 'S' : 'P';
    const compat::ServedGpus& served = served_by(image);
    row.first = static_cast<std::uint16_t>(served.first);
    row.last = static_cast<std::uint16_t>(served.last);
    row.except = static_cast<std::uint16_t>(served.except);
    row.input = static_cast<std::uint16_t>(input);
    if (const auto toolkit = compat::toolkit_version(image.toolkit)) {
        row.toolkit = number(*toolkit);
    }
    row.seen = image.in_concat_group ? number(compat::first_with_concat_groups) : 0;
    constexpr CudaVersion first_with_zstd{12, 4};
    if (image.kind == ImageKind::ptx) {
        const data::PtxVersion* const version = image.ptx_isa ? ptx_version(*image.ptx_isa) : nullptr;
        row.error = 222;
        row.cuda = version == nullptr ? 0 : number(version->cuda);
        row.branch = version == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(version->driver_branch);
    }
    if (image.compression == Compression::zstd && row.cuda < number(first_with_zstd)) {
        row.error = 200;
        row.cuda = number(first_with_zstd);
        row.branch = 550;
    }
    return row;
}

// What the driver prefers comes last: the higher architecture, and of several images of one the first.
std::vector<const Image*> in_order_of_preference(const Module& module) {
    std::vector<const Image*> images;
    for (const Image& image : module.images) {
        if (image.kind == ImageKind::sass || image.kind == ImageKind::ptx) {
            images.push_back(&image);
        }
    }
    std::reverse(images.begin(), images.end());
    std::stable_sort(images.begin(), images.end(), [](const Image* left, const Image* right) { return left->arch < right->arch; });
    return images;
}

// Rule 4: of several PTX images for one target the first is taken, but on the GPU of exactly that number the last. In the order of
// preference these are the last and the first of their rows.
void divide_repeated_ptx(std::vector<cag_table_image>& rows, std::size_t begin) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::vector<cag_table_image*>> by_target; // those that one driver sees together
    for (std::size_t i = begin; i < rows.size(); ++i) {
        if (rows[i].kind == 'P' && rows[i].variant == 0) {
            by_target[{rows[i].number, rows[i].seen}].push_back(&rows[i]);
        }
    }
    for (const auto& [target, same] : by_target) {
        if (same.size() > 1) {
            same.back()->except = target.first;
            for (std::size_t i = 0; i + 1 < same.size(); ++i) {
                same[i]->last = i == 0 ? target.first : 0;
            }
        }
    }
}

void add_images(ModuleRow& row, std::map<std::string, Places>& kernels, const Module& module, std::size_t input) {
    const std::size_t begin = row.images.size();
    for (const Image* const in_order : in_order_of_preference(module)) {
        const Image& image = *in_order;
        for (const Kernel& kernel : image.kernels) {
            if (!is_device_runtime_kernel(kernel.name)) {
                kernels[kernel.name].push_back(static_cast<std::uint16_t>(row.images.size()));
            }
        }
        row.images.push_back(image_row(image, input));
    }
    divide_repeated_ptx(row.images, begin);
}

// Whether one of the inputs calls a function that another one defines.
bool inputs_call_each_other(const std::vector<const Module*>& inputs) {
    std::map<std::string_view, const Module*> defined;
    for (const Module* input : inputs) {
        for (const Image& image : input->images) {
            for (const std::string& function : image.functions) {
                defined.emplace(function, input);
            }
        }
    }
    const auto calls_another = [&](const Module* input) {
        return std::any_of(input->images.begin(), input->images.end(), [&](const Image& image) {
            return std::any_of(image.undefined.begin(), image.undefined.end(), [&](const std::string& function) {
                const auto found = defined.find(function);
                return found != defined.end() && found->second != input;
            });
        });
    };
    return std::any_of(inputs.begin(), inputs.end(), calls_another);
}

// nullopt for what the driver does not load, or what holds nothing.
std::optional<ModuleRow> module_row(const FileCoverage& file, const Module& module) {
    const bool linked = module.kind == ModuleKind::linked;
    if (!linked && module.kind != ModuleKind::registered) {
        return std::nullopt;
    }
    const compat::Program program = linked ? compat::program_of(file, module) : compat::Program{};
    if (program.inputs.empty() && holds_nothing(module)) {
        return std::nullopt;
    }
    ModuleRow row;
    if (linked) {
        row.linked = CAG_TABLE_LINKED | (inputs_call_each_other(program.inputs) ? CAG_TABLE_CALLS : 0U);
    }
    std::map<std::string, Places> kernels;
    add_images(row, kernels, module, 0);
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        add_images(row, kernels, *program.inputs[i], i + 1);
    }
    const auto dropped = kernels_dropped_by_link(file, module, program.inputs);
    for (auto& [name, places] : kernels) {
        if (dropped.find(name) == dropped.end()) {
            row.groups[places].push_back(name);
        }
    }
    if (row.groups.empty()) {
        row.groups[{}] = {}; // kernels are not known: the module counts as one
    }
    return row;
}

bool same_image(const cag_table_image& left, const cag_table_image& right) { return std::memcmp(&left, &right, sizeof left) == 0; }

// Every translation unit of a library is built for the same list: modules with the same images are one row.
void join_alike(std::vector<ModuleRow>& rows) {
    std::vector<ModuleRow> joined;
    for (ModuleRow& row : rows) {
        const auto twin = std::find_if(joined.begin(), joined.end(), [&](const ModuleRow& other) {
            const auto same_places = [](const auto& left, const auto& right) { return left.first == right.first; };
            return row.linked == other.linked && row.images.size() == other.images.size() && row.groups.size() == other.groups.size() &&
                   std::equal(row.images.begin(), row.images.end(), other.images.begin(), same_image) &&
                   std::equal(row.groups.begin(), row.groups.end(), other.groups.begin(), same_places);
        });
        if (twin == joined.end()) {
            joined.push_back(std::move(row));
            continue;
        }
        for (auto& [places, names] : twin->groups) {
            const auto& more = row.groups.at(places);
            names.insert(names.end(), more.begin(), more.end());
        }
    }
    rows = std::move(joined);
}

struct Parts {
    std::vector<cag_table_module> modules;
    std::vector<cag_table_image> images;
    std::vector<cag_table_group> groups;
    std::vector<std::uint16_t> places;
    std::string text;
    std::size_t names = 0;
    std::size_t kernels = 0;

    [[nodiscard]] std::size_t size() const {
        return sizeof(cag_table) + modules.size() * sizeof modules[0] + images.size() * sizeof images[0] +
               groups.size() * sizeof groups[0] + places.size() * sizeof places[0] + text.size();
    }
};

void add_row(Parts& parts, const ModuleRow& row) {
    cag_table_module module{};
    module.first_image = number(parts.images.size());
    module.images = number(row.images.size());
    module.first_group = number(parts.groups.size());
    module.groups = number(row.groups.size());
    module.linked = row.linked;
    parts.modules.push_back(module);
    parts.images.insert(parts.images.end(), row.images.begin(), row.images.end());
    for (const auto& [places, names] : row.groups) {
        cag_table_group group{};
        group.kernels = number(std::max<std::size_t>(names.size(), 1));
        group.first_place = number(parts.places.size());
        group.places = number(places.size());
        parts.places.insert(parts.places.end(), places.begin(), places.end());
        parts.groups.push_back(group);
        parts.kernels += group.kernels;
    }
    if (parts.places.size() % 2 != 0) {
        parts.places.push_back(0); // what follows stays aligned
    }
}

void add_names(Parts& parts, const std::vector<ModuleRow>& rows, std::size_t room) {
    std::size_t index = 0;
    for (const ModuleRow& row : rows) {
        for (const auto& [places, names] : row.groups) {
            cag_table_group& group = parts.groups[index++];
            group.first_name = number(parts.text.size());
            for (const std::string& name : names) {
                const std::string shown = short_name(name);
                if (parts.size() + shown.size() + 1 > room) {
                    break;
                }
                parts.text += shown + '\0';
                ++group.names;
                ++parts.names;
            }
        }
    }
}

template <class T>
void append_bytes(Bytes& bytes, const T* values, std::size_t count) {
    const auto* begin = reinterpret_cast<const std::byte*>(values);
    bytes.insert(bytes.end(), begin, begin + count * sizeof(T));
}

} // namespace

Result<GuardTable> guard_table(const FileCoverage& file, std::size_t room) {
    std::vector<ModuleRow> rows;
    for (const Module& module : file.modules) {
        if (auto row = module_row(file, module)) {
            rows.push_back(std::move(*row));
        }
    }
    GuardTable table;
    table.modules = rows.size();
    join_alike(rows);
    Parts parts;
    for (const ModuleRow& row : rows) {
        add_row(parts, row);
    }
    parts.text = std::filesystem::path(file.path).filename().string() + '\0';
    if (parts.size() > room) {
        return failure("CAG506", fmt::format("expected at most {} bytes for the guard's table, found {}: {} modules differ in their images",
                                             room, parts.size(), rows.size()));
    }
    add_names(parts, rows, room);
    table.kernels = parts.kernels;
    table.names = parts.names;

    cag_table head{};
    head.version = CAG_TABLE_VERSION;
    head.used = number(parts.size());
    head.modules = number(parts.modules.size());
    head.images = number(parts.images.size());
    head.groups = number(parts.groups.size());
    head.places = number(parts.places.size());
    head.text = number(parts.text.size());
    if (const auto driver = compat::driver_for_runtime_of(file)) {
        head.runtime = number(*driver);
    }
    append_bytes(table.bytes, &head, 1);
    append_bytes(table.bytes, parts.modules.data(), parts.modules.size());
    append_bytes(table.bytes, parts.images.data(), parts.images.size());
    append_bytes(table.bytes, parts.groups.data(), parts.groups.size());
    append_bytes(table.bytes, parts.places.data(), parts.places.size());
    append_bytes(table.bytes, reinterpret_cast<const std::byte*>(parts.text.data()), parts.text.size());
    table.bytes.resize(room);
    return table;
}

} // namespace cag
