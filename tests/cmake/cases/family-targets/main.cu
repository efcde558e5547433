extern __device__ int plus_one(int x);
__global__ void kernel(int* out) { *out = plus_one(*out); }
int main() { return 0; }
