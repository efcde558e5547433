#include <cstdio>

__global__ void hello() { printf("hello from the GPU\n"); }

int main() {
    hello<<<1, 1>>>();
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
