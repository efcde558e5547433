# The package without its program, for tests that bring a fake verifier: cases about CMake do not wait for the C++ build.
get_filename_component(modules "${CMAKE_CURRENT_LIST_DIR}/../../../cmake/Modules" ABSOLUTE)
list(APPEND CMAKE_MODULE_PATH "${modules}")
include("${modules}/CudaArchGuard.cmake")
