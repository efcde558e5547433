#ifndef SEEN
#error the definitions of the target are missing
#endif
__global__ void hopper(int* out) { *out = 90; }
