__global__ void generic(int* out) { *out = 0; }
