__global__ void step(double* x) { *x = (*x + 2 / *x) / 2; }

void solve(double* x) { step<<<1, 1>>>(x); }
