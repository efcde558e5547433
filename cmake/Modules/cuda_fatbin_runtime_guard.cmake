#[=======================================================================[.rst:
cuda_fatbin_runtime_guard
-------------------------

Gives programs and shared libraries the runtime guard, which knows what was really built:

.. code-block:: cmake

  cuda_fatbin_runtime_guard(<target>... [AT_START])
  cuda_fatbin_runtime_guard(<target> PYTHON <file>)

Links ``CudaArchGuard::RuntimeGuard``, and after every link has ``cuda-arch-guard`` read the finished file and write its modules, images and
kernels into the guard inside it. ``#include <cudaarchguard/runtime_guard.hpp>`` (``.h`` for C) has the functions to call.

Every program and shared library that holds kernels gets it by itself; a static or object library has it in what links it. A program without
kernels that only asks links ``CudaArchGuard::RuntimeGuard``.

``AT_START``
  Asks before ``main()``, or when the library is loaded, without a line in the source: where a kernel cannot run on device 0, the program says
  why and ends with status 1, or does what the environment variable ``CUDA_ARCH_GUARD`` says.

``PYTHON``
  Of a Python extension: writes the guard as one file of pure Python beside it, which the package calls when it is imported. The extension itself
  stays as it is.

ELF platforms only. Call it in the directory of the target.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_targets.cmake")

function(cuda_fatbin_runtime_guard)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_runtime_guard")
  cmake_parse_arguments(PARSE_ARGV 0 arg "AT_START" "PYTHON" "")
  if(NOT arg_UNPARSED_ARGUMENTS)
    _cag_refusal(text EXPECTED "one target or more" FOUND "none" ALLOWED "<target>... [AT_START]" FIX "name the targets first")
    message(FATAL_ERROR "cuda_fatbin_runtime_guard:\n${text}")
  endif()
  if(NOT TARGET CudaArchGuard::RuntimeGuard)
    _cag_refusal(text EXPECTED "the target CudaArchGuard::RuntimeGuard" FOUND "none" ALLOWED "an installed or built CudaArchGuard" FIX
                 "find_package(CudaArchGuard) before this call")
    message(FATAL_ERROR "cuda_fatbin_runtime_guard:\n${text}")
  endif()
  list(LENGTH arg_UNPARSED_ARGUMENTS count)
  if(arg_PYTHON AND (count GREATER 1 OR arg_AT_START))
    _cag_refusal(text EXPECTED "one target with PYTHON <file>" FOUND "${ARGN}" ALLOWED "<target> PYTHON <file>" FIX
                 "call it once for each extension, each with a file of its own")
    message(FATAL_ERROR "cuda_fatbin_runtime_guard:\n${text}")
  endif()
  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    _cag_real_target(target cuda_fatbin_runtime_guard "${name}")
    _cag_refuse_unguardable(${target})
    get_property(guarded TARGET ${target} PROPERTY _CAG_RUNTIME_GUARD)
    if(guarded)
      continue()
    endif()
    set_property(TARGET ${target} PROPERTY _CAG_RUNTIME_GUARD TRUE)
    _cag_verifier(program cuda_fatbin_runtime_guard)
    if(arg_PYTHON)
      get_filename_component(file "${arg_PYTHON}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
      add_custom_command(
        TARGET ${target}
        POST_BUILD
        COMMAND "${program}" guard --python "${file}" "$<TARGET_FILE:${target}>"
        BYPRODUCTS "${file}"
        COMMENT "Writing what ${target} holds into ${file}"
        VERBATIM)
      continue()
    endif()
    target_link_libraries(${target} PRIVATE CudaArchGuard::RuntimeGuard)
    target_link_options(${target} PRIVATE "LINKER:--undefined=cag_guard_room")
    if(arg_AT_START)
      target_link_options(${target} PRIVATE "LINKER:--undefined=cag_guard_at_start")
    endif()
    add_custom_command(
      TARGET ${target}
      POST_BUILD
      COMMAND "${program}" guard "$<TARGET_FILE:${target}>"
      COMMENT "Writing what ${target} holds into its runtime guard"
      VERBATIM)
  endforeach()
endfunction()

# The guard is written into a finished file, by the target's own build.
function(_cag_refuse_unguardable target)
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(folder ${target} BINARY_DIR)
  set(found "")
  if(imported)
    set(found "${target}, which is imported")
  elseif(NOT type MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$")
    set(found "${target}, of type ${type}")
  elseif(NOT "${folder}" STREQUAL "${CMAKE_CURRENT_BINARY_DIR}")
    set(found "${target}, which is made in another directory")
  endif()
  if(found)
    _cag_refusal(text EXPECTED "a program or shared library that this directory builds" FOUND "${found}" ALLOWED
                 "executables, shared and module libraries" FIX "call it for what links ${target}, where that is made")
    message(FATAL_ERROR "cuda_fatbin_runtime_guard:\n${text}")
  endif()
endfunction()
