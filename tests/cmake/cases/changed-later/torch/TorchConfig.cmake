# What PyTorch's own package does to a project that looks for it: its list goes into the flags, and CMake is told to add none.
string(APPEND CMAKE_CUDA_FLAGS " -gencode arch=compute_75,code=sm_75 -gencode arch=compute_86,code=compute_86")
set(CMAKE_CUDA_ARCHITECTURES OFF)
add_library(torch INTERFACE IMPORTED)
