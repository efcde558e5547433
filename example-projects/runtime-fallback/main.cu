// Sums squares on the GPU, or on the CPU where the GPU cannot do it.
#include <cudaarchguard/runtime_guard.hpp>

#include <cstdio>
#include <vector>

namespace {

constexpr int count = 1000;

__global__ void square(const int* in, unsigned long long* sum) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        atomicAdd(sum, static_cast<unsigned long long>(in[i]) * in[i]);
    }
}

unsigned long long sum_on_cpu(const std::vector<int>& values) {
    unsigned long long sum = 0;
    for (const int value : values) {
        sum += static_cast<unsigned long long>(value) * value;
    }
    return sum;
}

unsigned long long sum_on_gpu(const std::vector<int>& values) {
    int* in = nullptr;
    unsigned long long* sum = nullptr;
    unsigned long long result = 0;
    cudaMalloc(&in, values.size() * sizeof(int));
    cudaMalloc(&sum, sizeof *sum);
    cudaMemcpy(in, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof *sum);
    square<<<(count + 255) / 256, 256>>>(in, sum);
    const cudaError_t launched = cudaGetLastError();
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(sum);
    if (launched != cudaSuccess) { // does not happen behind decide(); kept to show what can be said after the fact
        std::printf("%s\n", cag::guard::explain_last_error(launched).c_str());
    }
    return result;
}

} // namespace

int main() {
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) {
        values[i] = i;
    }
    cag::guard::set_policy(cag::guard::Policy::cpu);
    const bool on_cpu = cag::guard::decide() == cag::guard::Decision::use_cpu;
    const unsigned long long sum = on_cpu ? sum_on_cpu(values) : sum_on_gpu(values);
    std::printf("on the %s, the sum of squares is %llu\n", on_cpu ? "CPU" : "GPU", sum);
    return sum == 332833500 ? 0 : 1;
}
