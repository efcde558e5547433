#pragma once

// Weight of a neighbour: 1 in the middle, falling in a straight line to 0 just outside the radius. Defined in another .cu file than its
// callers, which is what relocatable device code is for.
__device__ float window_weight(int distance, int radius);
