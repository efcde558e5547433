// One translation unit of a test program. The builder writes a .cu file that sets the macros below and includes this.
//
//   UNIT          its number: kernel k<UNIT>(int*), function f<UNIT>(int), entry point unit_<UNIT>
//   RELOCATABLE   also defines f<UNIT>, and calls f0, f1, f2 where CALL_0, CALL_1, CALL_2 are set
//   TEMPLATE      the kernel is tk<int>(int*), the same in every unit
//   BODY_FROM     the kernel's body exists only from this __CUDA_ARCH__ on
//   KERNEL_FROM   the kernel's definition exists only from this __CUDA_ARCH__ on
//   SECOND        a second kernel s<UNIT>(int*), without guards
//   VARIABLE      a __device__ variable v<UNIT>, written before the launch
//   IMAGE         number of the image being compiled, in a recipe with `images`
#include "probe.h"
#include <cuda_runtime.h>

#define CAG_JOIN_(a, b) a##b
#define CAG_JOIN(a, b) CAG_JOIN_(a, b)
#define CAG_TEXT_(a) #a
#define CAG_TEXT(a) CAG_TEXT_(a)

#ifndef IMAGE
#define IMAGE 0
#endif

#ifdef RELOCATABLE
extern __device__ int f0(int);
extern __device__ int f1(int);
extern __device__ int f2(int);
__device__ int CAG_JOIN(f, UNIT)(int x) { return x + 1; }
#endif

#ifdef VARIABLE
__device__ int CAG_JOIN(v, UNIT);
#endif

static __device__ __forceinline__ void tell(int* out) {
#ifdef __CUDA_ARCH__
    int calls = 0;
#ifdef CALL_0
    calls = f0(calls);
#endif
#ifdef CALL_1
    calls = f1(calls);
#endif
#ifdef CALL_2
    calls = f2(calls);
#endif
#ifdef VARIABLE
    calls += CAG_JOIN(v, UNIT);
#endif
    out[CODE_CALLS] = calls;
    out[CODE_TARGET] = __CUDA_ARCH__ / 10;
#ifdef __CUDA_ARCH_SPECIFIC__
    out[CODE_VARIANT] = 1;
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    out[CODE_VARIANT] = 2;
#endif
    out[CODE_TOOLKIT] = __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__;
    out[CODE_IMAGE] = IMAGE + 1;
#else
    (void)out;
#endif
}

#ifdef TEMPLATE
#define KERNEL tk<int>
#define KERNEL_NAME "_Z2tkIiEvPT_"
template <typename T>
__global__ void tk(T* out) {
    tell(out);
}
#else
#define KERNEL CAG_JOIN(k, UNIT)
#define KERNEL_NAME "_Z2" CAG_TEXT(CAG_JOIN(k, UNIT)) "Pi"
#if !defined(KERNEL_FROM) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= KERNEL_FROM
__global__ void KERNEL(int* out) {
#if !defined(BODY_FROM) || __CUDA_ARCH__ >= BODY_FROM
    tell(out);
#else
    (void)out;
#endif
}
#else
__global__ void KERNEL(int* out); // launched by the host code below, which this compilation reads too
#endif
#endif

#ifdef SECOND
__global__ void CAG_JOIN(s, UNIT)(int* out) { tell(out); }
#endif

static void launch(void (*kernel)(int*), Probe& probe) {
    int* out = nullptr;
    probe.launch = cudaMalloc(&out, sizeof probe.code);
    if (probe.launch == cudaSuccess)
        probe.launch = cudaMemset(out, 0, sizeof probe.code);
    if (probe.launch != cudaSuccess)
        return;
    kernel<<<1, 1>>>(out);
    probe.launch = cudaGetLastError();
    probe.sync = cudaDeviceSynchronize();
    cudaMemcpy(probe.code, out, sizeof probe.code, cudaMemcpyDeviceToHost);
    cudaFree(out);
    cudaGetLastError();
}

extern "C" int CAG_JOIN(unit_, UNIT)(Probe* probes, int room) {
    int filled = 0;
    if (room < 2)
        return 0;
    probes[filled] = Probe{KERNEL_NAME, 0, 0, -1, {0, 0, 0, 0, 0}};
#ifdef VARIABLE
    int one = 1;
    probes[filled].symbol = cudaMemcpyToSymbol(CAG_JOIN(v, UNIT), &one, sizeof one);
    cudaGetLastError();
#endif
    launch(KERNEL, probes[filled++]);
#ifdef SECOND
    probes[filled] = Probe{"_Z2" CAG_TEXT(CAG_JOIN(s, UNIT)) "Pi", 0, 0, -1, {0, 0, 0, 0, 0}};
    launch(CAG_JOIN(s, UNIT), probes[filled++]);
#endif
    return filled;
}
