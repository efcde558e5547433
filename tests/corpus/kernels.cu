// Two kernels, a device function that stays one, and a variable.
__device__ int factor = 3;

__device__ __noinline__ int scaled(int value) { return value * factor; }

__global__ void alpha(int* values) { *values = scaled(*values); }

template <class T>
__global__ void beta(T* values) {
    values[1] = T(7);
}

template __global__ void beta<float>(float*);
