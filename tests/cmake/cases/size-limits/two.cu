__global__ void two(int* p) { *p = 2; }
