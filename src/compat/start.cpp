#include "compat/start.hpp"

#include "compat/remedy.hpp"
#include "compat/spec.hpp"
#include "compat/take.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cag::compat {
namespace {

// One item of CUDA_VISIBLE_DEVICES: an index, read as a number up to the first other letter ("0abc" is 0), or the start of a UUID.
std::optional<std::string> device_in(std::string_view item) {
    for (const std::string_view prefix : {"GPU-", "MIG-"}) {
        if (item.substr(0, prefix.size()) == prefix) {
            return item.size() > prefix.size() ? std::optional(std::string(item)) : std::nullopt;
        }
    }
    const bool negative = !item.empty() && item.front() == '-';
    if (!item.empty() && (item.front() == '-' || item.front() == '+')) {
        item.remove_prefix(1);
    }
    unsigned index = 0;
    const auto end = std::from_chars(item.data(), item.data() + item.size(), index);
    return end.ec == std::errc() && !(negative && index > 0) ? std::optional(std::to_string(index)) : std::nullopt;
}

// The devices that a list names. It is read up to the first item that names none.
std::vector<std::string> devices_in(std::string_view list) {
    std::vector<std::string> devices;
    while (true) {
        const auto comma = list.find(',');
        const auto device = device_in(list.substr(0, comma));
        if (!device) {
            return devices;
        }
        devices.push_back(*device);
        if (comma == std::string_view::npos) {
            return devices;
        }
        list.remove_prefix(comma + 1);
    }
}

// Rule 6: a list that names no device hides them all, and one that names a device twice is refused. Whether a device of that number is
// there is not asked.
std::optional<Decision> no_device_is_visible(const Situation& situation) {
    const auto entry = situation.environment.find("CUDA_VISIBLE_DEVICES");
    if (entry == situation.environment.end()) {
        return std::nullopt;
    }
    auto devices = devices_in(entry->second);
    std::sort(devices.begin(), devices.end());
    const bool twice = std::adjacent_find(devices.begin(), devices.end()) != devices.end();
    if (!devices.empty() && !twice) {
        return std::nullopt;
    }
    Decision decision = fails_with(twice ? 101 : 100, 6, situation, Confidence::measured,
                                   fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" {}: no kernel is even looked for", entry->second,
                                               twice ? "names a GPU twice" : "hides every GPU"));
    decision.fixes = {unset("CUDA_VISIBLE_DEVICES")};
    return decision;
}

// Rule 18: a driver must know the GPU.
std::optional<Decision> driver_does_not_drive_it(const Situation& situation) {
    if (drives(situation.driver, situation.gpu)) {
        return std::nullopt;
    }
    const Driver& driver = situation.driver;
    const bool too_new = situation.capability < driver.oldest_gpu;
    const Driver right = newest_driver_for(situation.gpu);
    const std::string gpu = to_string(situation.gpu.capability);
    Decision decision = fails_with(
        100, 18, situation, Confidence::documented,
        too_new
            ? fmt::format("driver {} no longer drives GPUs of compute capability {}; R{} is the last that does. The GPU is not seen at all",
                          driver.name, gpu, right.branch)
            : fmt::format("driver {} does not yet drive GPUs of compute capability {}. The GPU is not seen at all", driver.name, gpu));
    if (driver.extrapolated || right.extrapolated) {
        decision.kind = OutcomeKind::unknown;
        decision.error = 0;
    }
    decision.fixes = too_new ? Fixes{{Cost::driver, fmt::format("take driver branch {}, and code built with CUDA {} or older", right.branch,
                                                                to_string(right.cuda))}}
                             : update_driver(situation, {0, 0});
    return decision;
}

// Rule 19: a newer libcuda over an older kernel driver is for data-center GPUs, selected workstation GPUs and Jetson.
std::optional<Decision> forward_compatibility_is_refused(const Situation& situation) {
    if (!situation.driver.compat_over || situation.gpu.platform != "desktop") {
        return std::nullopt;
    }
    Decision decision = fails_with(804, 19, situation, Confidence::documented,
                                   "a forward-compatibility package (cuda-compat) works on data-center GPUs and Jetson, not on this one");
    decision.fixes = {
        {Cost::variable, "remove the cuda-compat package, or its directory from the loader's path (LD_LIBRARY_PATH, ld.so.conf)"}};
    append(decision.fixes, update_driver(situation, situation.driver.cuda));
    return decision;
}

struct Runtime {
    CudaVersion version;
    std::string what; // "the CUDA runtime that it needs (libcudart.so.12)"
};

// "static 13.0" or "libcudart.so.12" -> the version in it.
std::optional<CudaVersion> version_in(const std::string& text) {
    const auto digit = std::find_if(text.begin(), text.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
    const std::string number(digit, text.end());
    const auto version = toolkit_version(number);
    return version || number.empty() ? version : toolkit_version(number + ".0");
}

// The toolkit that made an image; nvcc records none in PTX, but writes PTX of its own ISA version.
std::optional<CudaVersion> toolkit_of(const Image& image) {
    if (const auto version = toolkit_version(image.toolkit)) {
        return version;
    }
    const auto versions = data::ptx_versions();
    const auto row =
        std::find_if(versions.begin(), versions.end(), [&](const data::PtxVersion& known) { return image.ptx_isa == known.isa; });
    return row == versions.end() ? std::nullopt : std::optional(row->cuda);
}

// The runtime that the file names; else the one that the compiler of its kernels brought: their registration code cannot do with an older.
std::optional<Runtime> runtime_of(const FileCoverage& file) {
    if (const auto version = version_in(file.cuda_runtime)) {
        return Runtime{*version, fmt::format("the CUDA runtime of this file ({})", file.cuda_runtime)};
    }
    std::optional<CudaVersion> newest;
    for (const Module& module : file.modules) {
        if (module.kind == ModuleKind::registered || module.kind == ModuleKind::linked) {
            for (const Image& image : module.images) {
                newest = std::max(newest, toolkit_of(image));
            }
        }
    }
    return newest ? std::optional(
                        Runtime{*newest, fmt::format("the CUDA runtime of toolkit {}, which compiled this file,", to_string(*newest))})
                  : std::nullopt;
}

// Rule 5: a runtime runs on drivers of its major; before CUDA 11 it needed its own minor too.
bool runtime_is_too_new(CudaVersion runtime, CudaVersion driver) {
    return runtime.major < 11 ? runtime > driver : runtime.major > driver.major;
}

} // namespace

std::optional<CudaVersion> driver_for_runtime_of(const FileCoverage& file) {
    const auto runtime = runtime_of(file);
    if (!runtime) {
        return std::nullopt;
    }
    return runtime->version.major < 11 ? runtime->version : CudaVersion{runtime->version.major, 0};
}

namespace {

// Rule 5, first half: 35 comes before any image is read.
std::optional<Decision> driver_is_older_than_the_runtime(const FileCoverage& file, const Situation& situation) {
    const auto runtime = runtime_of(file);
    if (!runtime || !runtime_is_too_new(runtime->version, situation.driver.cuda)) {
        return std::nullopt;
    }
    const CudaVersion needed = *driver_for_runtime_of(file);
    Decision decision =
        fails_with(35, 5, situation, Confidence::documented,
                   fmt::format("{} needs a driver of CUDA {} or newer, and driver {} supports up to {}: this is not a missing architecture",
                               runtime->what, to_string(needed), situation.driver.name, to_string(situation.driver.cuda)));
    decision.fixes = update_driver(situation, needed);
    decision.fixes.push_back({Cost::other_file, fmt::format("take a build made with CUDA {} or older", to_string(situation.driver.cuda))});
    return decision;
}

} // namespace

std::optional<Decision> stopped_without_runtime(const Situation& situation) {
    if (auto decision = no_device_is_visible(situation)) {
        return decision;
    }
    if (auto decision = driver_does_not_drive_it(situation)) {
        return decision;
    }
    return forward_compatibility_is_refused(situation);
}

std::optional<Decision> stopped_at_start(const FileCoverage& file, const Situation& situation) {
    if (auto decision = stopped_without_runtime(situation)) {
        return decision;
    }
    return file.role == FileRole::raw ? std::nullopt : driver_is_older_than_the_runtime(file, situation);
}

} // namespace cag::compat
