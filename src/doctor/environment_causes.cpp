// Variables that change what the driver loads, and caches that hold code for another GPU.
#include "arch/spec.hpp"
#include "doctor/causes.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cag::doctor {
namespace {

const std::string* value_of(const Examination& examination, const char* name) {
    const auto found = examination.machine.environment.find(name);
    return found == examination.machine.environment.end() ? nullptr : &found->second;
}

void hidden_gpus(const Examination& examination, Causes& causes) {
    const std::string* visible = value_of(examination, "CUDA_VISIBLE_DEVICES");
    if (visible != nullptr && !examination.machine.gpus.empty() && (visible->empty() || visible->front() == '-')) {
        causes.push_back({"CAG310",
                          Level::error,
                          fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides every GPU: error 100", *visible),
                          {},
                          {"unset CUDA_VISIBLE_DEVICES"}});
    }
}

void loading_variables(const Examination& examination, Causes& causes) {
    for (const char* name : {"CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"}) {
        if (const std::string* value = value_of(examination, name); value != nullptr && *value == "1") {
            causes.push_back({"CAG331",
                              Level::warning,
                              fmt::format("{}=1 makes the driver ignore all machine code: a test of the embedded PTX, not a rescue", name),
                              {"without PTX, a working program fails with error 209"},
                              {fmt::format("unset {}", name)}});
        }
    }
    for (const char* name : {"CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT"}) {
        if (const std::string* value = value_of(examination, name); value != nullptr && *value == "1") {
            causes.push_back({"CAG331",
                              Level::note,
                              fmt::format("{}=1: where only PTX would serve, kernels fail with error 223", name),
                              {},
                              {fmt::format("unset {}", name)}});
        }
    }
}

// A list for building that leaves a GPU of this machine out.
void build_lists(const Examination& examination, Causes& causes) {
    for (const char* name : {"TORCH_CUDA_ARCH_LIST", "CUDAARCHS"}) {
        const std::string* value = value_of(examination, name);
        if (value == nullptr || value->empty() || holds(*value, "native") || holds(*value, "all")) {
            continue;
        }
        const auto list = parse_arch_list(*value);
        if (!list) {
            causes.push_back({list.error().code,
                              Level::warning,
                              fmt::format("{}=\"{}\" is not understood: {}", name, *value, list.error().message),
                              {},
                              {}});
            continue;
        }
        for (const JudgedGpu& gpu : examination.gpus) {
            const bool serves = std::any_of(list->targets.begin(), list->targets.end(), [&](const Target& target) {
                const ComputeCapability capability = target.arch.capability();
                if (target.code == Code::ptx && target.arch.variant == Variant::plain) {
                    return capability <= gpu.gpu.capability;
                }
                return target.arch.variant == Variant::plain
                           ? capability.major == gpu.gpu.capability.major && capability <= gpu.gpu.capability
                           : capability.major == gpu.gpu.capability.major;
            });
            if (!serves && gpu.machine) {
                causes.push_back({"CAG331",
                                  Level::warning,
                                  fmt::format("{}=\"{}\" leaves out {}: what is built here will not run here", name, *value, gpu.label),
                                  {},
                                  {fmt::format("export {}=\"{}\"", name,
                                               std::string_view(name) == "CUDAARCHS"
                                                   ? to_string(Arch{gpu.gpu.capability.major, gpu.gpu.capability.minor})
                                                   : to_string(gpu.gpu.capability))}});
            }
        }
    }
}

void stale_caches(const Examination& examination, Causes& causes) {
    for (const CacheFolder& cache : examination.inventory.caches) {
        std::vector<std::string> found;
        std::size_t count = 0;
        for (const auto& [path, holdings] : examination.stale) {
            if (path.substr(0, cache.path.size()) == cache.path && ++count <= 3) {
                found.push_back(fmt::format("{} holds {}", path, holdings));
            }
        }
        if (count > 0) {
            causes.push_back(
                {"CAG331",
                 Level::warning,
                 fmt::format("{} cache {}: {} hold{} code that no GPU here can use (error 209 or 200 where it is loaded)", cache.kind,
                             cache.path, count == 1 ? "a file" : fmt::format("{} files", count), count == 1 ? "s" : ""),
                 std::move(found),
                 {"rm -r " + cache.path}});
        }
    }
}

} // namespace

void environment_causes(const Examination& examination, Causes& causes) {
    hidden_gpus(examination, causes);
    loading_variables(examination, causes);
    stale_caches(examination, causes);
    build_lists(examination, causes);
}

} // namespace cag::doctor
