#include "window.hpp"

__device__ float window_weight(int distance, int radius) {
    const int magnitude = distance < 0 ? -distance : distance;
    return 1.0F - static_cast<float>(magnitude) / static_cast<float>(radius + 1);
}
