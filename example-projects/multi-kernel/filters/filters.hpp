// Filters over a line of numbers on the GPU.
#pragma once

#include <vector>

// Each value becomes the weighted mean of its neighbours up to `radius` away; near ones count more.
std::vector<float> smooth(const std::vector<float>& values, int radius);
