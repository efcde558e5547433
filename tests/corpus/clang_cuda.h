// What clang needs of CUDA's headers for kernels.cu: its own wrapper does not fit toolkits newer than it is.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __noinline__ __attribute__((noinline))
struct dim3 {
    unsigned x, y, z;
};
using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess };
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long, cudaStream_t);
