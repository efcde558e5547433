__device__ int weight(int distance) { return distance == 0 ? 1 : 2; }
