// Sums and histograms of numbers on the GPU. Each function copies its input there and its result back.
#pragma once

#include <cstddef>
#include <vector>

// Mean of the values after `scale * value + shift`. Throws std::runtime_error with CUDA's words where a kernel cannot run.
float mean(const std::vector<float>& values, float scale, float shift);

// How many of the values, all in [0, 1), fall into each of `bins` equal parts.
std::vector<unsigned> histogram(const std::vector<float>& values, std::size_t bins);
