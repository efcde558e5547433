extern __device__ int plus_one(int x);
__global__ void caller(int* out) { *out = plus_one(*out); }
