// Container images that carry CUDA (containers.json).
#pragma once

#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace cag::data {

struct ContainerImage {
    std::string_view image; // "nvcr.io/nvidia/pytorch"
    std::string_view tag;   // "25.12-py3"
    CudaVersion cuda;
    std::optional<ComputeCapability> oldest_gpu; // nullopt: no device code of its own
    std::optional<ComputeCapability> newest_gpu;
    std::string_view platform; // "tegra", "x86-64", "all"
    std::string_view source;
};

[[nodiscard]] std::span<const ContainerImage> container_images(); // by image, oldest first

} // namespace cag::data
