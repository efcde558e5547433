# All public functions. find_package(CudaArchGuard) and add_subdirectory() of the project include this file.
include_guard(GLOBAL)

# The functions keep these policies, whatever a caller asks for in its own cmake_minimum_required().
cmake_policy(VERSION 3.25...4.0)

foreach(name IN ITEMS archs_resolve archs_convert archs_init fatbin_targets fatbin_sources fatbin_verify fatbin_test fatbin_install_check
                      fatbin_runtime_guard)
  include("${CMAKE_CURRENT_LIST_DIR}/cuda_${name}.cmake")
endforeach()
