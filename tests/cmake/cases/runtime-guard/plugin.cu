__global__ void of_plugin(int* value) { *value = 1; }

extern "C" int run_plugin() {
    int* value = nullptr;
    cudaMalloc(&value, sizeof *value);
    of_plugin<<<1, 1>>>(value);
    return static_cast<int>(cudaGetLastError());
}
