__global__ void kernel(float* values) { values[threadIdx.x] += 1; }
