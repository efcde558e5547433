#[=======================================================================[.rst:
cuda_archs_convert
------------------

Turns architectures into the spelling of another tool:

.. code-block:: cmake

  cuda_archs_convert(<out-var> FORMAT nvcc|cmake|torch <spec>...
                     [ON_UNSUPPORTED ERROR|DROP] [PTX AUTO|NONE|<arch>...]
                     [TOOLKIT <release>] [LOCAL_GPUS <capability>...] [LAB <file>]
                     [ERROR_VARIABLE <var>])

``nvcc`` gives a list of flags (``-gencode=arch=compute_86,code=sm_86``), ``cmake`` the value of ``CMAKE_CUDA_ARCHITECTURES``, ``torch``
the value of ``TORCH_CUDA_ARCH_LIST``. The other arguments are those of :command:`cuda_archs_resolve`.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_archs_resolve.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/flags.cmake")

function(cuda_archs_convert out)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_archs_convert")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FORMAT;ERROR_VARIABLE" "")
  _cag_refuse_value(cuda_archs_convert FORMAT "${arg_FORMAT}" nvcc cmake torch)
  set(error "")
  set(catch "")
  if(arg_ERROR_VARIABLE)
    set(catch ERROR_VARIABLE error)
  endif()
  cuda_archs_resolve(archs ${arg_UNPARSED_ARGUMENTS} ${catch})
  set(result "")
  if("${error}" STREQUAL "")
    if("${arg_FORMAT}" STREQUAL "nvcc")
      _cag_nvcc_flags(result ${archs})
    elseif("${arg_FORMAT}" STREQUAL "torch")
      _cag_torch_list(result error ${archs})
    else()
      set(result "${archs}")
    endif()
  endif()
  if(arg_ERROR_VARIABLE)
    set(${arg_ERROR_VARIABLE} "${error}" PARENT_SCOPE)
  elseif(error)
    message(FATAL_ERROR "cuda_archs_convert:\n${error}")
  endif()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()
