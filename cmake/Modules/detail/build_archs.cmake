# Telling CMake for which architectures a target is compiled and device-linked.
include_guard(GLOBAL)

# _cag_build_archs(<target> REAL [arch...] PTX [arch...] [AUTO_PTX_OF arch...]): adds to what earlier calls asked for.
function(_cag_build_archs target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "REAL;PTX;AUTO_PTX_OF")
  set_property(TARGET ${target} APPEND PROPERTY _CAG_BUILD_REAL ${arg_REAL})
  get_property(REAL TARGET ${target} PROPERTY _CAG_BUILD_REAL)
  set(notes "")
  _cag_drop_plain_beside_family(REAL notes)
  _cag_add_ptx(VIRTUAL note ${target} BUILD PTX ${arg_PTX} AUTO_PTX_OF ${arg_AUTO_PTX_OF})
  set_property(TARGET ${target} PROPERTY _CAG_BUILD_NOTES ${notes} ${note})
  _cag_to_cmake(archs REAL ${REAL} VIRTUAL ${VIRTUAL})
  set_property(TARGET ${target} PROPERTY _CAG_EFFECTIVE "${archs}")
  _cag_cmake_knows(known ${archs})
  if(known)
    set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES "${archs}")
    return()
  endif()

  if("${CMAKE_CUDA_COMPILER_ID}" STREQUAL "Clang")
    _cag_refusal(
      text EXPECTED "architectures that CUDA_ARCHITECTURES of CMake ${CMAKE_VERSION} takes, since Clang compiles CUDA here" FOUND
      "${archs}" ALLOWED "numbers and a; f from CMake 3.31.8 and 4.0.2 on" FIX "take a newer CMake, or nvcc as CUDA compiler")
    message(FATAL_ERROR "${target}:\n${text}")
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

# PTX that calls name adds up; the fallback of PTX AUTO is one image for all calls that have it, and so is found anew by each.
#
# _cag_add_ptx(<out-var> <out-note> <target> BUILD|REQUIRE PTX [arch...] [AUTO_PTX_OF arch...])
function(_cag_add_ptx out out_note target purpose)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "PTX;AUTO_PTX_OF")
  foreach(field IN ITEMS PTX AUTO_PTX_OF)
    set_property(TARGET ${target} APPEND PROPERTY _CAG_${purpose}_NAMED_${field} ${arg_${field}})
    get_property(${field} TARGET ${target} PROPERTY _CAG_${purpose}_NAMED_${field})
  endforeach()
  _cag_ptx_fallback(fallback note "${AUTO_PTX_OF}" "${PTX}")
  list(APPEND PTX ${fallback})
  list(REMOVE_DUPLICATES PTX)
  set(${out} "${PTX}" PARENT_SCOPE)
  set(${out_note} "${note}" PARENT_SCOPE)
endfunction()

# _cag_cmake_knows(<out-var> <arch>...): whether CUDA_ARCHITECTURES takes this list; the letter f came late.
function(_cag_cmake_knows out)
  set(known TRUE)
  if("${ARGN}" MATCHES "f" AND (CMAKE_VERSION VERSION_LESS 3.31.8 OR CMAKE_VERSION MATCHES "^4\\.0\\.[01]($|[^0-9])"))
    set(known FALSE)
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()
