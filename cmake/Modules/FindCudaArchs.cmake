#[=======================================================================[.rst:
FindCudaArchs
-------------

The GPUs of this machine, and what its CUDA toolkit builds. Works before and after ``project()``, without the CUDA language.

Result variables:

``CudaArchs_FOUND``
  A toolkit was found and said what it builds. A machine without a GPU is no reason to fail: ``CudaArchs_LOCAL`` is empty then.
``CudaArchs_LOCAL``
  The architectures of all local GPUs, each once, ascending: ``75;89``.
``CudaArchs_GPUS``
  One entry a GPU: ``8.9 NVIDIA GeForce RTX 4090``.
``CudaArchs_DETECTED_BY``
  ``cuda-arch-guard survey`` (where the program is there), ``nvidia-smi`` or ``__nvcc_device_query``; empty without a GPU.
``CudaArchs_PROBLEMS``
  Why each method that found no GPU did not.
``CudaArchs_TOOLKIT_REAL``, ``CudaArchs_TOOLKIT_VIRTUAL``
  What nvcc itself says it builds, letters included: ``75;80;90;90a;100;100f``.
``CudaArchs_TOOLKIT_VERSION``, ``CudaArchs_NVCC``
  ``13.0.88``, and the nvcc that was asked: ``CMAKE_CUDA_COMPILER``, else ``CUDACXX``, else the one on ``PATH``.

The toolkit is asked in every configuration. The GPUs are asked again when the driver, the GPUs, ``PATH`` or ``CUDA_VISIBLE_DEVICES`` change; waking
the driver takes half a second.
#]=======================================================================]

cmake_policy(PUSH)
cmake_policy(VERSION 3.25...4.0)
foreach(name IN ITEMS refusal toolkit local_gpus)
  include("${CMAKE_CURRENT_LIST_DIR}/detail/${name}.cmake")
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/detail/found_archs.cmake")
_cag_found_archs()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaArchs REQUIRED_VARS CudaArchs_NVCC CudaArchs_TOOLKIT_REAL
                                  VERSION_VAR CudaArchs_TOOLKIT_VERSION REASON_FAILURE_MESSAGE "${CudaArchs_TOOLKIT_PROBLEM}")
cmake_policy(POP)
