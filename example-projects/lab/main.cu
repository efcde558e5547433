// Doubles a number on the GPU, or says why it cannot.
#include <cstdio>

__global__ void double_it(int* value) { *value *= 2; }

int main() {
    int* value = nullptr;
    if (cudaMallocManaged(&value, sizeof(int)) != cudaSuccess) {
        std::puts("no GPU here");
        return 0;
    }
    *value = 21;
    double_it<<<1, 1>>>(value);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf(error == cudaSuccess ? "ran: %d\n" : "did not run: %d\n", error == cudaSuccess ? *value : static_cast<int>(error));
    cudaFree(value);
    return error == cudaSuccess ? 0 : 1;
}
