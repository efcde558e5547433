__device__ int weight(int distance); // in weights.cu

__global__ void filter(int* result) { *result = weight(0) + weight(1); }

int run_filter(int* result) {
    filter<<<1, 1>>>(result);
    return static_cast<int>(cudaGetLastError());
}
