int sum_on_gpu(const int* values, int count, int* error);

int use(int* error) { return sum_on_gpu(nullptr, 0, error); }
