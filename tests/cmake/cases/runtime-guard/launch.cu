__global__ void add_up(int* sum) { atomicAdd(sum, static_cast<int>(threadIdx.x)); }

int launch(int* result) {
    int* sum = nullptr;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    add_up<<<1, 32>>>(sum);
    const cudaError_t status = cudaGetLastError();
    cudaMemcpy(result, sum, sizeof *result, cudaMemcpyDeviceToHost);
    return status;
}

int make_current(int device, char (&pci)[32]) {
    if (const cudaError_t status = cudaSetDevice(device); status != cudaSuccess) {
        return status;
    }
    return cudaDeviceGetPCIBusId(pci, sizeof pci, device);
}
