void kernels() {}
