#[=======================================================================[.rst:
cuda_archs_resolve
------------------

Turns what people write for architectures into the list that a toolkit builds, in the spelling of ``CMAKE_CUDA_ARCHITECTURES``:

.. code-block:: cmake

  cuda_archs_resolve(<out-var> <spec>...
                     [ON_UNSUPPORTED ERROR|DROP] [PTX AUTO|NONE|<arch>...]
                     [TOOLKIT <release>] [LOCAL_GPUS <capability>...]
                     [LAB <file>]
                     [DROPPED <var>] [NOTES <var>] [ERROR_VARIABLE <var>])

A spec is ``86`` (SASS and PTX), ``86-real`` (SASS), ``86-virtual`` (PTX), ``90a``, ``100f``; ``8.6`` (SASS), ``8.6+PTX``; ``sm_86``
(SASS), ``compute_86`` (PTX); a generation (``Ampere``: SASS of its capabilities, PTX of the highest); a product (``RTX 3090``: SASS);
``lab:MACHINE`` (SASS for the GPUs of a machine or group of a lab file); ``native``, ``all``, ``all-major``. Items are separated by ``;`` or ``,``, and by spaces where no name with a space can be meant.

``ON_UNSUPPORTED``
  What to do with a target that the toolkit does not build: ``ERROR`` (default), or ``DROP`` it; each drop is printed.
``PTX``
  Left out: PTX as the specs say. ``AUTO``: also one PTX image of the highest plain target. ``NONE`` or a list: instead of the PTX that
  bare numbers and names bring.
``TOOLKIT``
  A CUDA release whose table is used, for example ``12.9``. Left out: the toolkit of this machine, asked from its nvcc.
``LOCAL_GPUS``
  What ``native`` means, for example ``8.9;7.5``. Left out: the GPUs of this machine.
``LAB``
  The lab file in which ``lab:MACHINE`` is looked up. Left out: the cache variable ``CUDA_ARCH_GUARD_LAB``, else ``lab.json`` beside the top
  ``CMakeLists.txt``.
``DROPPED``, ``NOTES``
  Variables for what was left out, and for every decision that the specs do not say.
``ERROR_VARIABLE``
  Takes the message of a refusal, and nothing is printed. Left out: a refusal stops the configuration.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/detail/refusal.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/data.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/toolkit.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/local_gpus.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/products.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/lab.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/specs.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/resolve.cmake")

function(cuda_archs_resolve out)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_archs_resolve")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ON_UNSUPPORTED;TOOLKIT;LAB;DROPPED;NOTES;ERROR_VARIABLE" "LOCAL_GPUS;PTX")
  if(DEFINED arg_ON_UNSUPPORTED)
    _cag_refuse_value(cuda_archs_resolve ON_UNSUPPORTED "${arg_ON_UNSUPPORTED}" ERROR DROP)
  endif()
  _cag_resolve_here(done SPECS ${arg_UNPARSED_ARGUMENTS} ON_UNSUPPORTED "${arg_ON_UNSUPPORTED}" TOOLKIT "${arg_TOOLKIT}" PTX ${arg_PTX}
                    LOCAL_GPUS ${arg_LOCAL_GPUS} LAB "${arg_LAB}")
  if(arg_ERROR_VARIABLE)
    set(${arg_ERROR_VARIABLE} "${done_ERROR}" PARENT_SCOPE)
  elseif(done_ERROR)
    message(FATAL_ERROR "cuda_archs_resolve:\n${done_ERROR}")
  else()
    foreach(note IN LISTS done_NOTES)
      message(STATUS "cuda_archs_resolve: ${note}")
    endforeach()
    foreach(warning IN LISTS done_WARNINGS)
      message(WARNING "cuda_archs_resolve: ${warning}")
    endforeach()
  endif()
  foreach(field IN ITEMS DROPPED NOTES)
    if(arg_${field})
      set(${arg_${field}} "${done_${field}}" PARENT_SCOPE)
    endif()
  endforeach()
  set(${out} "${done_CMAKE}" PARENT_SCOPE)
endfunction()
