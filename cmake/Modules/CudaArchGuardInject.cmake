# The gate on a project that knows nothing of CudaArchGuard, from its unmodified sources:
#
#   cmake -S project -B build
#         -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<prefix>/share/cmake/CudaArchGuard/Modules/CudaArchGuardInject.cmake
#         -DCUDA_ARCH_GUARD_ARCHS="80-real;90"   and/or   -DCUDA_ARCH_GUARD_GPUS="RTX 3090;H100"
#         and/or   -DCUDA_ARCH_GUARD_LAB=lab.json [-DCUDA_ARCH_GUARD_MACHINES="ws-07;hopper-nodes"]
#
# Every executable and library of the project that holds device code gets a verification in its build; a rejected one is deleted and the
# build fails. How the project chooses its architectures is left alone. The older CMAKE_PROJECT_INCLUDE works as well.
include_guard(GLOBAL)
cmake_policy(VERSION 3.25...4.0)

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../CudaArchGuardConfig.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/../CudaArchGuardConfig.cmake")
else()
  find_package(CudaArchGuard QUIET)
  include("${CMAKE_CURRENT_LIST_DIR}/CudaArchGuard.cmake")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/detail/cuda_targets.cmake")

function(_cag_inject)
  list(APPEND CMAKE_MESSAGE_CONTEXT "CudaArchGuardInject")
  if("${CUDA_ARCH_GUARD_ARCHS}${CUDA_ARCH_GUARD_GPUS}${CUDA_ARCH_GUARD_LAB}${CUDA_ARCH_GUARD_MACHINES}" STREQUAL "")
    _cag_refusal(
      text
      EXPECTED
      "what to require of the project ${CMAKE_PROJECT_NAME}"
      FOUND
      "none of CUDA_ARCH_GUARD_ARCHS, CUDA_ARCH_GUARD_GPUS and CUDA_ARCH_GUARD_LAB"
      ALLOWED
      "architectures (80-real;90), GPUs (RTX 3090;H100), a lab file"
      FIX
      "add -DCUDA_ARCH_GUARD_ARCHS=..., -DCUDA_ARCH_GUARD_GPUS=... or -DCUDA_ARCH_GUARD_LAB=... to the cmake command")
    message(FATAL_ERROR "CudaArchGuardInject:\n${text}")
  endif()
  _cag_cuda_targets(targets "${CMAKE_SOURCE_DIR}")
  if("${targets}" STREQUAL "")
    _cag_refusal(
      text EXPECTED "targets with CUDA sources in ${CMAKE_PROJECT_NAME}" FOUND "none" ALLOWED
      "targets that CMake compiles as CUDA, and what links them" FIX
      "leave CudaArchGuardInject.cmake out here; for code compiled by custom commands run cuda-arch-guard verify on the result")
    message(FATAL_ERROR "CudaArchGuardInject:\n${text}")
  endif()
  _cag_built_by_all(built "${CMAKE_SOURCE_DIR}")
  foreach(target IN LISTS targets)
    if(NOT target IN_LIST built)
      set_property(TARGET ${target} PROPERTY _CAG_NOT_IN_ALL TRUE)
    endif()
  endforeach()
  set(requirement "")
  foreach(keyword IN ITEMS ARCHS GPUS LAB MACHINES)
    if(NOT "${CUDA_ARCH_GUARD_${keyword}}" STREQUAL "")
      list(APPEND requirement ${keyword} ${CUDA_ARCH_GUARD_${keyword}})
    endif()
  endforeach()
  # A .cu file may hold host code alone; a stranger's target without device code is no defect.
  cuda_fatbin_verify(${targets} ${requirement} ALLOW_EMPTY)
endfunction()

cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _cag_inject)
