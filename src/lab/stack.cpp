#include "lab/stack.hpp"

#include "data/containers.hpp"
#include "data/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag {
namespace {

// "12.0-12.6", "11.3/11.6" and "13.x" are rows for several toolkits: the first stands for them, since the driver's branch is what counts.
std::optional<CudaVersion> first_release(std::string_view text) {
    const std::string first(text.substr(0, text.find_first_of("-/")));
    const auto dot = first.find('.');
    const auto digits = [](const std::string& word) {
        return !word.empty() && word.size() < 4 && word.find_first_not_of("0123456789") == std::string::npos;
    };
    const std::string major = first.substr(0, dot);
    const std::string minor = dot == std::string::npos || first.substr(dot + 1) == "x" ? "0" : first.substr(dot + 1);
    if (!digits(major) || !digits(minor)) {
        return std::nullopt;
    }
    return CudaVersion{static_cast<unsigned>(std::stoul(major)), static_cast<unsigned>(std::stoul(minor))};
}

Outcome outcome_of(const data::FrameworkBuild& build, const LabPlace& place) {
    const auto cuda = first_release(build.cuda);
    if (!cuda || data::find_toolkit(*cuda) == nullptr) {
        return {};
    }
    std::vector<Target> targets;
    for (const Arch arch : build.sass) {
        targets.push_back({arch, Code::sass});
    }
    for (const Arch arch : build.ptx) {
        targets.push_back({arch, Code::ptx});
    }
    return outcome_at(place, targets, *cuda);
}

std::optional<Fitting> newest_build(std::string_view framework, const char* name, const LabPlace& place) {
    std::optional<Fitting> native;
    std::optional<Fitting> compiled;
    for (const data::FrameworkBuild& build : data::framework_builds()) {
        if (build.framework != framework) {
            continue;
        }
        const OutcomeKind kind = outcome_of(build, place).kind;
        const char* known_from = build.source.starts_with("measured") ? "" : ", by its build script";
        Fitting fitting{name, std::string(build.version), std::string(build.cuda), "", std::string(build.source)};
        if (kind == OutcomeKind::sass) {
            fitting.how = fmt::format("native{}", known_from);
            native = std::move(fitting);
        } else if (kind == OutcomeKind::jit && place.need.jit) {
            fitting.how = fmt::format("its PTX is compiled{}", known_from);
            compiled = std::move(fitting);
        }
    }
    return native ? native : compiled;
}

// Whether a program of this toolkit starts with the driver: the same major version is enough (minor-version compatibility).
bool starts(const Driver& driver, CudaVersion cuda) {
    const data::Toolkit* toolkit = data::find_toolkit(cuda);
    return driver.cuda >= cuda || (toolkit != nullptr && toolkit->oldest_driver && driver.branch >= *toolkit->oldest_driver);
}

// Code of its own for the GPU, or a compiler for it.
bool is_for_gpu(const data::ContainerImage& image, const LabPlace& place) {
    return image.oldest_gpu ? *image.oldest_gpu <= place.gpu.capability && place.gpu.capability <= *image.newest_gpu
                            : solve({place}, image.cuda).unserved.empty();
}

bool is_for_host(const data::ContainerImage& image, const Gpu& gpu) {
    return image.platform == "tegra" ? gpu.tegra : !gpu.tegra && (image.platform == "all" || !is_arm_only(gpu));
}

std::optional<Fitting> newest_image(std::string_view name, const LabPlace& place) {
    std::optional<Fitting> newest;
    for (const data::ContainerImage& image : data::container_images()) {
        if (image.image == name && is_for_host(image, place.gpu) && starts(place.driver, image.cuda) && is_for_gpu(image, place)) {
            newest = Fitting{std::string(name), std::string(image.tag), to_string(image.cuda), "", std::string(image.source), true};
            newest->how = image.oldest_gpu ? "built for it" : "compiles for it";
            if (place.driver.cuda < image.cuda) {
                newest->how += ", and starts by minor-version compatibility";
            }
        }
    }
    return newest;
}

std::string cmake_list(const std::vector<Target>& targets) {
    const auto flags = gencode_flags({targets, {}}, GencodeStyle::cmake, std::nullopt);
    return flags ? flags->text : "";
}

} // namespace

// 12.1 is DGX Spark's, also where only the capability was declared.
bool is_arm_only(const Gpu& gpu) { return gpu.tegra || gpu.platform == "soc" || gpu.capability == ComputeCapability{12, 1}; }

std::vector<Fitting> newest_fitting(const LabPlace& place) {
    std::vector<Fitting> list;
    const auto add = [&](std::optional<Fitting> fitting) {
        if (fitting) {
            list.push_back(*std::move(fitting));
        }
    };
    if (!place.gpu.tegra) { // the builds of the table are for servers; Jetson has its own
        add(newest_build("pytorch", "PyTorch", place));
        add(newest_build("tensorflow", "TensorFlow", place));
        add(newest_build("cupy", "CuPy", place));
    }
    std::string_view last;
    for (const data::ContainerImage& image : data::container_images()) {
        if (image.image != last) {
            add(newest_image(image.image, place));
            last = image.image;
        }
    }
    return list;
}

Result<std::string> dockerfile(const std::vector<LabPlace>& places, const std::string& lab_file, const std::vector<std::string>& machines) {
    // The newest image whose toolkit serves most.
    const data::ContainerImage* base = nullptr;
    Solution solution;
    for (const data::ContainerImage& image : data::container_images()) {
        if (image.image == "nvidia/cuda") {
            Solution candidate = solve(places, image.cuda);
            if (base == nullptr || candidate.unserved.size() <= solution.unserved.size()) {
                base = &image;
                solution = std::move(candidate);
            }
        }
    }
    if (base == nullptr || solution.targets.empty()) {
        return failure("CAG508",
                       "expected machines that a known container image can build for, found none; `cuda-arch-guard lab show` says why");
    }
    std::string chosen;
    for (const std::string& machine : machines) {
        chosen += " --machine " + machine;
    }
    std::string text;
    for (const auto& unserved : solution.unserved) {
        text += fmt::format("# {} is not served: {}\n", unserved.first->machine->name, unserved.second);
    }
    const std::string runtime = [&] {
        std::string tag(base->tag);
        const auto devel = tag.find("-devel-");
        return tag.replace(devel, 7, "-base-");
    }();
    text += fmt::format("# Made by `cuda-arch-guard lab dockerfile`. A machine that builds images has no GPU, so the list is spelt out.\n"
                        "FROM {image}:{devel} AS build\n"
                        "RUN apt-get update && apt-get install -y --no-install-recommends cmake ninja-build g++ python3\n"
                        "# CudaArchGuard as you keep it: docker build --build-context cuda-arch-guard=<install tree> .\n"
                        "COPY --from=cuda-arch-guard / /opt/cuda-arch-guard\n"
                        "COPY . /src\n"
                        "RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=/opt/cuda-arch-guard "
                        "-DCMAKE_CUDA_ARCHITECTURES=\"{list}\"\n"
                        "RUN cmake --build /build\n"
                        "RUN cmake --install /build --prefix /app\n"
                        "# The gate: an image that a machine of the lab cannot run is not made.\n"
                        "RUN /opt/cuda-arch-guard/bin/cuda-arch-guard verify /app --lab /src/{lab}{chosen}\n"
                        "\n"
                        "FROM {image}:{runtime}\n"
                        "COPY --from=build /app /app\n"
                        "# The host brings the driver, of CUDA {major}.0 or newer (branch {branch}).\n",
                        fmt::arg("image", base->image), fmt::arg("devel", base->tag), fmt::arg("runtime", runtime),
                        fmt::arg("list", cmake_list(solution.list())), fmt::arg("lab", lab_file), fmt::arg("chosen", chosen),
                        fmt::arg("major", base->cuda.major), fmt::arg("branch", data::find_toolkit(base->cuda)->oldest_driver.value_or(0)));
    return text;
}

} // namespace cag
