__global__ void double_it(int* value) { *value *= 2; }

extern "C" int plugin_double(int value) {
    int* device = nullptr;
    cudaMalloc(&device, sizeof value);
    cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
    double_it<<<1, 1>>>(device);
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return value;
}
