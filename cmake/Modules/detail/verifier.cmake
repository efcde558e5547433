# The program that reads what was built, and the commands that run it.
include_guard(GLOBAL)
# An empty value of a keyword (DRIVER "") means the same as no keyword; CMake 3.31 asks which is meant.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

set_property(GLOBAL PROPERTY _CAG_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}")

# _cag_verifier(<out-var> <function>): how a build command names the program. Without it nothing can be verified, and a build that
# nobody verified must not look like a good one.
function(_cag_verifier out function)
  if(NOT "${CudaArchGuard_EXECUTABLE}" STREQUAL "")
    if(NOT EXISTS "${CudaArchGuard_EXECUTABLE}" OR IS_DIRECTORY "${CudaArchGuard_EXECUTABLE}")
      set(found "CudaArchGuard_EXECUTABLE=${CudaArchGuard_EXECUTABLE}, which is no file")
    else()
      set(${out} "${CudaArchGuard_EXECUTABLE}" PARENT_SCOPE)
      return()
    endif()
  elseif(NOT TARGET CudaArchGuard::cuda-arch-guard)
    set(found "neither the target CudaArchGuard::cuda-arch-guard nor CudaArchGuard_EXECUTABLE")
  elseif(CMAKE_CROSSCOMPILING)
    find_program(program NAMES cuda-arch-guard NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
    if(program)
      set(${out} "${program}" PARENT_SCOPE)
      return()
    endif()
    set(found "a cross build, and no cuda-arch-guard for this machine on PATH")
  else()
    set(${out} "$<TARGET_FILE:CudaArchGuard::cuda-arch-guard>" PARENT_SCOPE)
    return()
  endif()
  _cag_refusal(
    text EXPECTED "the program cuda-arch-guard, which verifies what is built" FOUND "${found}" ALLOWED
    "an installed CudaArchGuard, or the path of a cuda-arch-guard that runs on this machine" FIX
    "set CudaArchGuard_EXECUTABLE to that path, or say VERIFY OFF to build without verification")
  message(FATAL_ERROR "${function}:\n${text}")
endfunction()

# A requirement as options of `cuda-arch-guard verify`. Empty where nothing is required.
#
# _cag_verify_options(<out-var> SASS [arch...] PTX [arch...] RUNS_ON [gpu...] DRIVER <driver> LAB <file> MACHINES [name...])
function(_cag_verify_options out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DRIVER;LAB" "SASS;PTX;RUNS_ON;MACHINES")
  set(options "")
  foreach(pair IN ITEMS "SASS --require-sass" "PTX --require-ptx" "RUNS_ON --runs-on")
    string(REGEX MATCH "^[^ ]+" list "${pair}")
    string(REGEX MATCH "[^ ]+$" option "${pair}")
    if(arg_${list})
      list(JOIN arg_${list} "," values)
      list(APPEND options ${option} "${values}")
    endif()
  endforeach()
  if(arg_DRIVER AND arg_RUNS_ON)
    list(APPEND options --driver "${arg_DRIVER}")
  endif()
  if(arg_LAB)
    _cag_lab_copy(copy "${arg_LAB}")
    list(APPEND options --lab "${copy}")
    foreach(machine IN LISTS arg_MACHINES)
      list(APPEND options --machine "${machine}")
    endforeach()
  endif()
  set(${out} "${options}" PARENT_SCOPE)
endfunction()

# A copy of the lab in the build folder, named after its content: when the lab changes, the command line of the verification does, and so
# everything is verified again.
function(_cag_lab_copy out file)
  get_filename_component(name "${file}" NAME_WLE)
  file(MD5 "${file}" hash)
  string(SUBSTRING ${hash} 0 8 hash)
  set(copy "${CMAKE_BINARY_DIR}/CMakeFiles/cuda-arch-guard/${name}-${hash}.json")
  configure_file("${file}" "${copy}" COPYONLY)
  set(${out} "${copy}" PARENT_SCOPE)
endfunction()

# The command line of a verification. verify_binary.cmake deletes what is rejected (DELETE), so that the next build tries again.
#
# _cag_verify_command(<out-var> VERIFIER <program> MODE ERROR|WARN [DELETE] [STAMP <file>] WHAT <text> OPTIONS <option>... FILES <file>...)
function(_cag_verify_command out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DELETE" "VERIFIER;MODE;STAMP;WHAT" "OPTIONS;FILES")
  get_property(scripts GLOBAL PROPERTY _CAG_SCRIPTS)
  set(${out} "${CMAKE_COMMAND}" "-DMODE=${arg_MODE}" "-DDELETE=${arg_DELETE}" "-DSTAMP=${arg_STAMP}" "-DWHAT=${arg_WHAT}" -P
             "${scripts}/verify_binary.cmake" -- "${arg_VERIFIER}" verify ${arg_OPTIONS} -- ${arg_FILES} PARENT_SCOPE)
endfunction()
