#[=======================================================================[.rst:
cuda_archs_init
---------------

Sets ``CMAKE_CUDA_ARCHITECTURES`` for the whole project, before ``project()`` or ``enable_language(CUDA)``:

.. code-block:: cmake

  find_package(CudaArchGuard REQUIRED)
  cuda_archs_init([ARCHS <spec>...] [GPUS <gpu>...]
                  [LAB <file>] [MACHINES <name>...]
                  [PTX AUTO|NONE|<arch>...] [ON_UNSUPPORTED ERROR|DROP])
  project(mine LANGUAGES CXX CUDA)

Who decides is ordered as in :command:`cuda_fatbin_targets`, except that a user's ``-D CMAKE_CUDA_ARCHITECTURES``, a preset's, or ``CUDAARCHS``
come before the arguments here, which are the project's default. Every spelling of :command:`cuda_archs_resolve` may be used in them, those
that CMake itself refuses included. Never silently wrong: ``native`` without a GPU stops with the line to write instead.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_targets.cmake")

function(cuda_archs_init)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_archs_init")
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ON_UNSUPPORTED;LAB" "ARCHS;GPUS;PTX;MACHINES")
  set(signature "[ARCHS <spec>...] [GPUS <gpu>...] [LAB <file>] [MACHINES <name>...] [PTX AUTO|NONE|<arch>...] [ON_UNSUPPORTED ERROR|DROP]")
  _cag_refuse_leftovers(cuda_archs_init "${signature}" ${arg_UNPARSED_ARGUMENTS})
  _cag_refuse_missing_values(cuda_archs_init "${signature}")
  if(NOT DEFINED arg_ON_UNSUPPORTED)
    set(arg_ON_UNSUPPORTED ERROR)
  endif()
  _cag_refuse_value(cuda_archs_init ON_UNSUPPORTED "${arg_ON_UNSUPPORTED}" ERROR DROP)

  _cag_user_architectures(user by)
  set(specs "${user}")
  set(ptx "")
  set(lab "${arg_LAB}")
  if("${specs}" STREQUAL "")
    _cag_environment_architectures(specs)
    set(by "the environment variable CUDAARCHS")
  endif()
  if("${specs}" STREQUAL "")
    set(ptx AUTO)
    _cag_decide(who ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES})
    set(specs "${who_REQUIRE}")
    set(lab "${who_LAB_FILE}")
    string(REPLACE "the call's arguments" "cuda_archs_init()" by "${who_REQUIRE_BY}")
  endif()
  if(DEFINED arg_PTX)
    set(ptx ${arg_PTX})
  endif()
  if("${specs}" STREQUAL "OFF")
    return()
  endif()

  _cag_resolve_here(done SPECS ${specs} ON_UNSUPPORTED ${arg_ON_UNSUPPORTED} PTX ${ptx} LAB "${lab}")
  _cag_stop_or_say(cuda_archs_init "${by}" "${done_ERROR}" "${done_WARNINGS}")
  _cag_cmake_knows(known ${done_CMAKE})
  if(NOT known)
    _cag_refusal(
      text EXPECTED "architectures that CMAKE_CUDA_ARCHITECTURES of CMake ${CMAKE_VERSION} takes" FOUND "${done_CMAKE}" ALLOWED
      "numbers and a; f from CMake 3.31.8 and 4.0.2 on" FIX
      "give the f targets to cuda_fatbin_targets(), which translates them to flags, or take a newer CMake")
    message(FATAL_ERROR "cuda_archs_init:\n${text}")
  endif()
  list(JOIN done_CMAKE ";" shown)
  message(STATUS "CudaArchGuard: CMAKE_CUDA_ARCHITECTURES is ${shown} (decided by ${by})")
  foreach(note IN LISTS done_NOTES)
    message(STATUS "CudaArchGuard: ${note}")
  endforeach()
  set_property(GLOBAL PROPERTY _CAG_INIT_VALUE "${done_CMAKE}")
  set_property(GLOBAL PROPERTY _CAG_INIT_BY "${by}")
  set_property(GLOBAL PROPERTY _CAG_INIT_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}")
  set(CMAKE_CUDA_ARCHITECTURES "${done_CMAKE}" PARENT_SCOPE)
endfunction()
