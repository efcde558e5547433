# find_package() before project(): from an install tree, from the build tree, and as part of the user's own build.
with_program()
set(PACKAGE "")
run(COMMAND "${CMAKE_COMMAND}" --install "${GUARD_BUILD}" --prefix "${WORK}/prefix")
configure(WITH "-DCMAKE_PREFIX_PATH=${WORK}/prefix" SAYS "CMAKE_CUDA_ARCHITECTURES is 90 \\(decided by cuda_archs_init"
          "kernels: 90 -> 90 \\(decided by cuda_archs_init")
build()
expect_exists(libkernels.so)

# The install tree needs nothing of this repository: its tables and modules are its own.
file(GLOB_RECURSE installed LIST_DIRECTORIES false "${WORK}/prefix/*.cmake")
foreach(file IN LISTS installed)
  file(STRINGS "${file}" own REGEX "(^|[^./a-zA-Z0-9_-])${ROOT}") # as an absolute path: "../src" is none
  if(own)
    message(FATAL_ERROR "${file} names ${ROOT}: ${own}")
  endif()
endforeach()
file(RENAME "${WORK}/prefix" "${WORK}/moved")
file(REMOVE_RECURSE "${BUILD}")
configure(WITH "-DCMAKE_PREFIX_PATH=${WORK}/moved" "-DCMAKE_CUDA_ARCHITECTURES=80-real" SAYS "decided by -D CMAKE_CUDA_ARCHITECTURES")
build()

# The program disappears: the package says so, instead of finding nothing to verify with.
file(REMOVE "${WORK}/moved/bin/cuda-arch-guard")
file(REMOVE_RECURSE "${BUILD}")
configure(FAILS WITH "-DCMAKE_PREFIX_PATH=${WORK}/moved" SAYS "cuda-arch-guard. but this file does not exist|bin/cuda-arch-guard")

file(REMOVE_RECURSE "${BUILD}")
configure(WITH "-DCMAKE_PREFIX_PATH=${GUARD_BUILD}")

# As a part of the user's project, which then finds the package that is being built.
file(REMOVE_RECURSE "${BUILD}")
edit(CMakeLists.txt "find_package(CudaArchGuard 0.1 REQUIRED)\ncuda_archs_init(GPUS H100)\n" "")
edit(CMakeLists.txt "find_package(CudaArchs REQUIRED)"
     "add_subdirectory(\"${ROOT}\" guard)\nfind_package(CudaArchGuard 0.1 REQUIRED)\nfind_package(CudaArchs REQUIRED)")
edit(CMakeLists.txt "kernels TEST" "kernels GPUS H100 TEST")
configure(SAYS "kernels: H100 -> 90")
