// Takes the kernel that the GPU at hand can run: the choice must be the program's, since the runtime would not make it.
#include "scale.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <vector>

int main() {
    cudaDeviceProp gpu{};
    if (cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) {
        std::printf("no GPU here\n");
        return 0;
    }
    std::vector<float> values(1000, 1.0F);
    float* device = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&device), values.size() * sizeof(float));
    cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    const bool hopper = gpu.major == 9 && gpu.minor == 0;
    (hopper ? scale_hopper : scale)(device, static_cast<int>(values.size()));
    const cudaError_t status = cudaGetLastError();
    cudaMemcpy(values.data(), device, values.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("scaled by %s: %s, %g\n", hopper ? "the Hopper kernel" : "the generic kernel", cudaGetErrorString(status), values[0]);
    return status == cudaSuccess && values[0] == 2 ? 0 : 1;
}
