__global__ void guarded(int* p) {
#if __CUDA_ARCH__ >= 900
    *p = 3;
#endif
}
