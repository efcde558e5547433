#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

int sum_on_gpu(const int* values, int count, int* error);

NB_MODULE(_ext, module) {
    module.def("sum", [](const std::vector<int>& values) {
        int error = 0;
        const int sum = sum_on_gpu(values.data(), static_cast<int>(values.size()), &error);
        if (error != 0) {
            throw std::runtime_error("CUDA error " + std::to_string(error));
        }
        return sum;
    });
}
