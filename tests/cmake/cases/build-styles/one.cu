__global__ void first(int* out) { *out = 1; }
