#include "statistics.hpp"

#include "../device_array.hpp"

namespace {

constexpr unsigned block = 256;

__global__ void scale_and_shift(float* values, std::size_t count, float scale, float shift) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = scale * values[i] + shift;
    }
}

// One partial sum a block, by halving the number of threads that add.
__global__ void block_sums(const float* values, std::size_t count, float* sums) {
    __shared__ float part[block];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < count ? values[i] : 0.0F;
    for (unsigned half = block / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}

} // namespace

float mean(const std::vector<float>& values, float scale, float shift) {
    const auto blocks = static_cast<unsigned>((values.size() + block - 1) / block);
    DeviceArray<float> on_gpu(values);
    DeviceArray<float> sums(blocks);
    scale_and_shift<<<blocks, block>>>(on_gpu.data(), values.size(), scale, shift);
    check(cudaGetLastError(), "scale_and_shift");
    block_sums<<<blocks, block>>>(on_gpu.data(), values.size(), sums.data());
    check(cudaGetLastError(), "block_sums");
    double total = 0;
    for (const float sum : sums.copy()) {
        total += sum;
    }
    return static_cast<float>(total / static_cast<double>(values.size()));
}
