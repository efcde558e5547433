# What a device link takes in: its architectures, and the toolkit that made its inputs.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/program.cmake")

# The device link takes its architectures from the final target, whatever the objects hold: a final target that nobody named would be linked
# for CMake's default, and one with another list than its library loses kernels or gets some of another virtual architecture (which Thrust and
# CUB do not survive).
function(_cag_check_device_links)
  set(separable "")
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    get_target_property(rdc ${target} CUDA_SEPARABLE_COMPILATION)
    if(rdc AND "${type}" MATCHES "^(STATIC|OBJECT)_LIBRARY$")
      list(APPEND separable ${target})
    endif()
  endforeach()
  if("${separable}" STREQUAL "")
    return()
  endif()
  _cag_all_targets(all "${CMAKE_SOURCE_DIR}")
  foreach(target IN LISTS all)
    get_target_property(type ${target} TYPE)
    if("${type}" MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$")
      _cag_taken_in(members ${target})
      _cag_built_for(linked_for ${target})
      foreach(library IN LISTS separable)
        get_target_property(resolved ${library} CUDA_RESOLVE_DEVICE_SYMBOLS)
        _cag_built_for(archs ${library})
        if("${library}" IN_LIST members AND NOT resolved AND NOT "${archs}" STREQUAL "${linked_for}")
          message(
            WARNING "CudaArchGuard: ${target} links ${library}, which is relocatable device code for \"${archs}\", but the device link \
of ${target} is for \"${linked_for}\". Name both in one \
cuda_fatbin_targets().")
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

# What cuda_fatbin_targets() set, else what the project did.
function(_cag_built_for out target)
  get_property(archs TARGET ${target} PROPERTY _CAG_EFFECTIVE)
  if("${archs}" STREQUAL "")
    get_target_property(archs ${target} CUDA_ARCHITECTURES)
  endif()
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()

# nvlink takes relocatable device code of its own toolkit and of older ones only, and says so at the end of a long build. Archives and objects
# that are there already are asked now.
function(_cag_check_linked_toolkits)
  _cag_program(program)
  _cag_toolkit(toolkit)
  foreach(target IN LISTS ARGN)
    _cag_built_inputs(files ${target})
    foreach(file IN LISTS files)
      _cag_relocatable_toolkit(made_by "${program}" "${file}")
      if(made_by AND toolkit_RELEASE AND "${made_by}" VERSION_GREATER "${toolkit_RELEASE}")
        _cag_refusal(
          text EXPECTED "relocatable device code of CUDA ${toolkit_RELEASE} or older for the device link of ${target}" FOUND
          "${file}, made by CUDA ${made_by}" ALLOWED "what nvlink ${toolkit_RELEASE} reads: its own release and older ones" FIX
          "make that library with CUDA ${toolkit_RELEASE}, or take CUDA ${made_by} or newer here (CMAKE_CUDA_COMPILER)")
        message(FATAL_ERROR "CudaArchGuard:\n${text}")
      endif()
    endforeach()
  endforeach()
endfunction()

# The objects and archives that a target with a device link takes in and that this project does not build.
function(_cag_built_inputs out target)
  set(files "")
  get_target_property(type ${target} TYPE)
  get_target_property(rdc ${target} CUDA_SEPARABLE_COMPILATION)
  get_target_property(resolves ${target} CUDA_RESOLVE_DEVICE_SYMBOLS)
  if(resolves OR (rdc AND "${type}" MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$"))
    get_property(candidates TARGET ${target} PROPERTY LINK_LIBRARIES)
    _cag_taken_in(members ${target})
    foreach(member IN LISTS members)
      get_target_property(imported "${member}" IMPORTED)
      get_target_property(type "${member}" TYPE)
      if(imported AND "${type}" STREQUAL "STATIC_LIBRARY")
        get_target_property(file "${member}" LOCATION)
        list(APPEND candidates "${file}")
      endif()
    endforeach()
    foreach(file IN LISTS candidates)
      if(file MATCHES "\\.(a|o|lib|obj)$" AND IS_ABSOLUTE "${file}" AND EXISTS "${file}")
        list(APPEND files "${file}")
      endif()
    endforeach()
  endif()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# _cag_relocatable_toolkit(<out-var> <program> <file>): the newest toolkit that made relocatable device code in it; "" where none is, or where
# the program cannot be asked. What is larger than 64 MB is left to nvlink: asking would take longer than a configuration may.
function(_cag_relocatable_toolkit out program file)
  set(newest "")
  file(SIZE "${file}" size)
  if(program AND size LESS 67108864)
    execute_process(
      COMMAND "${program}" inspect --kernels --format json -- "${file}"
      OUTPUT_VARIABLE answer
      ERROR_QUIET
      TIMEOUT 60)
    string(REGEX MATCHALL "\"toolkit\": \"[0-9.]+\",[ \r\n]*\"relocatable\": true" found "${answer}")
    foreach(text IN LISTS found)
      string(REGEX MATCH "[0-9]+\\.[0-9]+" release "${text}")
      if("${newest}" STREQUAL "" OR "${release}" VERSION_GREATER "${newest}")
        set(newest ${release})
      endif()
    endforeach()
  endif()
  set(${out} "${newest}" PARENT_SCOPE)
endfunction()
