# The program cuda-arch-guard while a project is configured.
include_guard(GLOBAL)

# _cag_program(<out-var>): its path where it is there already; "" in a build that makes it, and without the package.
function(_cag_program out)
  set(program "${CudaArchGuard_EXECUTABLE}")
  if("${program}" STREQUAL "" AND TARGET CudaArchGuard::cuda-arch-guard)
    get_target_property(imported CudaArchGuard::cuda-arch-guard IMPORTED)
    if(imported)
      get_target_property(program CudaArchGuard::cuda-arch-guard LOCATION)
    endif()
  endif()
  if(NOT EXISTS "${program}" OR IS_DIRECTORY "${program}")
    set(program "")
  endif()
  set(${out} "${program}" PARENT_SCOPE)
endfunction()
