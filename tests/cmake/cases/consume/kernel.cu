__global__ void kernel(int* out) { *out = 1; }
