// What one kernel of a test program met, filled by the unit that launches it and printed by main.cpp or load.cpp.
#pragma once

struct Probe {
    const char* kernel; // mangled, as the images name it
    int launch;         // cudaError_t of the launch; where `symbol` is not -1, of the launch after it
    int sync;           // cudaError_t of the synchronisation that follows
    int symbol;         // cudaError_t of cudaMemcpyToSymbol on the unit's variable, -1 when it has none
    int code[5];        // what the kernel wrote: see CODE_* below; all 0 when it did not run
};

enum {
    CODE_TARGET,  // __CUDA_ARCH__ / 10: the virtual architecture that the image was compiled for
    CODE_VARIANT, // 0 plain, 1 architecture-specific, 2 family-specific
    CODE_TOOLKIT, // nvcc that compiled it, 1305 for 13.5
    CODE_IMAGE,   // 1 + the number of the image in a recipe with `images`
    CODE_CALLS,   // number of relocatable functions that it called
};

typedef int (*UnitFunction)(Probe* probes, int room); // returns how many probes it filled
