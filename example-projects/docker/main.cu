#include <cudaarchguard/runtime_guard.hpp>

#include <cstdio>

__global__ void work() {}

int main() {
    cag::guard::set_policy(cag::guard::Policy::warn);
    (void)cag::guard::decide();
    work<<<1, 1>>>();
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
