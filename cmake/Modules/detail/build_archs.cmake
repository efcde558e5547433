# Telling CMake for which architectures a target is compiled and device-linked.
include_guard(GLOBAL)

# _cag_build_archs(<target> REAL [arch...] VIRTUAL [arch...]): adds to what earlier calls asked for.
function(_cag_build_archs target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "REAL;VIRTUAL")
  foreach(field IN ITEMS REAL VIRTUAL)
    get_property(earlier TARGET ${target} PROPERTY _CAG_BUILD_${field})
    _cag_sort_archs(${field} ${earlier} ${arg_${field}})
    if("${field}" STREQUAL "REAL")
      _cag_drop_plain_beside_family(REAL notes)
    endif()
    set_property(TARGET ${target} PROPERTY _CAG_BUILD_${field} "${${field}}")
  endforeach()
  _cag_to_cmake(archs REAL ${REAL} VIRTUAL ${VIRTUAL})
  set_property(TARGET ${target} PROPERTY _CAG_EFFECTIVE "${archs}")
  _cag_cmake_knows(known ${archs})
  if(known)
    set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES "${archs}")
    return()
  endif()

  # This CMake refuses 100f in CUDA_ARCHITECTURES. The same flags by hand; the device link takes SASS only, as CMake does it.
  set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES OFF)
  _cag_nvcc_flags(compile ${archs})
  _cag_to_cmake(sass REAL ${REAL} VIRTUAL "")
  _cag_nvcc_flags(link ${sass})
  get_property(
    by_flags
    TARGET ${target}
    PROPERTY _CAG_COMPILE_FLAGS
    SET)
  set_property(TARGET ${target} PROPERTY _CAG_COMPILE_FLAGS "${compile}")
  set_property(TARGET ${target} PROPERTY _CAG_LINK_FLAGS "${link}")
  if(NOT by_flags)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:$<TARGET_PROPERTY:${target},_CAG_COMPILE_FLAGS>>")
    get_target_property(type ${target} TYPE)
    if(NOT "${type}" STREQUAL "OBJECT_LIBRARY")
      target_link_options(${target} PRIVATE "$<DEVICE_LINK:$<TARGET_PROPERTY:${target},_CAG_LINK_FLAGS>>")
    endif()
  endif()
endfunction()

# _cag_cmake_knows(<out-var> <arch>...): whether CUDA_ARCHITECTURES takes this list; the letter f came late.
function(_cag_cmake_knows out)
  set(known TRUE)
  if("${ARGN}" MATCHES "f" AND (CMAKE_VERSION VERSION_LESS 3.31.8 OR CMAKE_VERSION MATCHES "^4\\.0\\.[01]($|[^0-9])"))
    set(known FALSE)
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()
