#include <cstdio>

int run_filter(int* result); // in filter.cu

__global__ void clear(int* value) { *value = 0; }

int main() {
    int* value = nullptr;
    if (cudaMalloc(&value, sizeof *value) != cudaSuccess) {
        std::printf("no GPU here\n");
        return 0;
    }
    clear<<<1, 1>>>(value);
    const int error = run_filter(value);
    int result = 0;
    cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("error %d, filtered: %d\n", error, result);
    return result == 3 ? 0 : 1;
}
