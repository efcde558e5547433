__global__ void add_up(const int* values, int count, int* sum) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        atomicAdd(sum, values[i]);
    }
}

int sum_on_gpu(const int* values, int count, int* error) {
    int* in = nullptr;
    int* sum = nullptr;
    int result = 0;
    cudaMalloc(&in, count * sizeof *in);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemcpy(in, values, count * sizeof *in, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof *sum);
    add_up<<<(count + 255) / 256, 256>>>(in, count, sum);
    *error = static_cast<int>(cudaGetLastError());
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(sum);
    return result;
}
