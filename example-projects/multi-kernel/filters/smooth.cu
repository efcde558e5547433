#include "filters.hpp"

#include "window.hpp"

#include "../device_array.hpp"

namespace {

__global__ void smooth_line(const float* in, float* out, int count, int radius) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) {
        return;
    }
    float sum = 0;
    float weights = 0;
    for (int d = -radius; d <= radius; ++d) {
        if (i + d >= 0 && i + d < count) {
            const float weight = window_weight(d, radius);
            sum += weight * in[i + d];
            weights += weight;
        }
    }
    out[i] = sum / weights;
}

} // namespace

std::vector<float> smooth(const std::vector<float>& values, int radius) {
    constexpr unsigned block = 128;
    const auto count = static_cast<unsigned>(values.size());
    DeviceArray<float> in(values);
    DeviceArray<float> out(values.size());
    smooth_line<<<(count + block - 1) / block, block>>>(in.data(), out.data(), static_cast<int>(count), radius);
    check(cudaGetLastError(), "smooth_line");
    return out.copy();
}
