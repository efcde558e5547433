#include "scale.hpp"

__global__ void scale_anywhere(float* values, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        values[i] *= 2;
    }
}

void scale(float* values, int count) { scale_anywhere<<<(count + 255) / 256, 256>>>(values, count); }
