#include "scale.hpp"

// wgmma exists on Hopper's own target (sm_90a) alone: neither on plain sm_90 nor on any other. A real kernel would multiply with it.
__global__ void scale_with_wgmma(float* values, int count) {
#ifdef __CUDA_ARCH__
    asm volatile("wgmma.fence.sync.aligned;");
#endif
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        values[i] *= 2;
    }
}

void scale_hopper(float* values, int count) { scale_with_wgmma<<<(count + 127) / 128, 128>>>(values, count); }
