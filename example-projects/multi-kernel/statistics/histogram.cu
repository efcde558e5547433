#include "statistics.hpp"

#include "../device_array.hpp"

namespace {

__global__ void count_values(const float* values, std::size_t count, unsigned* bins, unsigned bin_count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        const auto bin = static_cast<unsigned>(values[i] * static_cast<float>(bin_count));
        atomicAdd(&bins[bin < bin_count ? bin : bin_count - 1], 1U);
    }
}

__global__ void clamp_to_unit(float* values, std::size_t count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = fminf(fmaxf(values[i], 0.0F), 1.0F);
    }
}

} // namespace

std::vector<unsigned> histogram(const std::vector<float>& values, std::size_t bins) {
    constexpr unsigned block = 256;
    const auto blocks = static_cast<unsigned>((values.size() + block - 1) / block);
    DeviceArray<float> on_gpu(values);
    DeviceArray<unsigned> counts(bins);
    clamp_to_unit<<<blocks, block>>>(on_gpu.data(), values.size());
    check(cudaGetLastError(), "clamp_to_unit");
    count_values<<<blocks, block>>>(on_gpu.data(), values.size(), counts.data(), static_cast<unsigned>(bins));
    check(cudaGetLastError(), "count_values");
    return counts.copy();
}
