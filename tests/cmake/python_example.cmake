# The wheel of example-projects/python-extension: built, verified, installed into a clean environment, and imported beside a driver that stands for
# GPUs it was and was not built for. Included by run_example.cmake; needs PyPI.
find_program(python NAMES python3 REQUIRED)
set(bin "${WORK}/venv/bin")
execute_process(COMMAND "${python}" -m venv "${WORK}/venv" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${bin}/pip" --quiet --disable-pip-version-check install nanobind scikit-build-core RESULT_VARIABLE fetched
                ERROR_VARIABLE complaint)
if(NOT fetched EQUAL 0)
  message(STATUS "skipped: there is no PyPI: ${complaint}")
  return()
endif()
set(environment "PATH=${bin}:$ENV{PATH}" "VIRTUAL_ENV=${WORK}/venv")
step(COMMAND "${TESTED_CMAKE}" --workflow --preset default ENV ${environment} SAYS "100% tests passed")
step(COMMAND "${bin}/pip" --disable-pip-version-check wheel . --no-deps --no-build-isolation -w "${WORK}/dist" ENV ${environment} SAYS
     "Successfully built gpusum")
file(GLOB wheel "${WORK}/dist/gpusum-1.0-*.whl")
step(COMMAND "${WORK}/prefix/bin/cuda-arch-guard" verify "${wheel}" --runs-on "RTX 3090,H100" SAYS "pass")
step(FAILS COMMAND "${WORK}/prefix/bin/cuda-arch-guard" verify "${wheel}" --runs-on "Tesla T4" SAYS "Tesla T4")

execute_process(COMMAND "${python}" -m venv "${WORK}/clean" COMMAND_ERROR_IS_FATAL ANY)
step(COMMAND "${WORK}/clean/bin/pip" --disable-pip-version-check install --no-index "${wheel}" SAYS "Successfully installed gpusum")
file(MAKE_DIRECTORY "${WORK}/fake")
step(COMMAND c++ -shared -fPIC -Wl,-soname,libcuda.so.1 -o "${WORK}/fake/libcuda.so.1"
     "${CMAKE_CURRENT_LIST_DIR}/cases/runtime-guard/fake_driver.cpp" SAYS "")
set(source "${WORK}")
set(import "${WORK}/clean/bin/python" -c "import gpusum")
step(COMMAND ${import} ENV "LD_LIBRARY_PATH=${WORK}/fake" "FAKE_CUDA_GPUS=7.5 Tesla T4" SAYS
     "RuntimeWarning: 1 of 1 CUDA kernels .add_up.* cannot run on GPU 0, Tesla T4 .*error 209")
step(FAILS COMMAND ${import} ENV "LD_LIBRARY_PATH=${WORK}/fake" "FAKE_CUDA_GPUS=7.5 Tesla T4" CUDA_ARCH_GUARD=error SAYS
     "CudaArchError: 1 of 1 CUDA kernels .*Traceback|Traceback.*CudaArchError: 1 of 1 CUDA kernels")
step(COMMAND ${import} ENV "LD_LIBRARY_PATH=${WORK}/fake" "FAKE_CUDA_GPUS=9.0 NVIDIA H100" CUDA_ARCH_GUARD=error SAYS "^$")
step(COMMAND ${import} SAYS "^$") # no GPU is no reason to warn
