# An example project as a user has it: its folder alone, the installed package, and `cmake --workflow --preset default`.
#
# cmake -DEXAMPLE=<name> -DWORK=<folder> -DGUARD_BUILD=<build folder of this repository> [-DTESTED_CMAKE=<cmake>] -P run_example.cmake
cmake_minimum_required(VERSION 3.25)
if("${TESTED_CMAKE}" STREQUAL "")
  set(TESTED_CMAKE "${CMAKE_COMMAND}")
elseif(NOT EXISTS "${TESTED_CMAKE}")
  message(STATUS "skipped: there is no ${TESTED_CMAKE}")
  return()
endif()
get_filename_component(ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
file(REMOVE_RECURSE "${WORK}")
file(COPY "${ROOT}/example-projects/${EXAMPLE}" DESTINATION "${WORK}")
set(source "${WORK}/${EXAMPLE}")
foreach(name IN ITEMS CUDAARCHS CMAKE_GENERATOR CMAKE_BUILD_TYPE CUDA_ARCH_GUARD CUDA_VISIBLE_DEVICES)
  unset(ENV{${name}})
endforeach()
set(ENV{LC_ALL} C.UTF-8)
set(ENV{CMAKE_PREFIX_PATH} "${WORK}/prefix")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${GUARD_BUILD}" --prefix "${WORK}/prefix" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# step([FAILS] SAYS <regex> COMMAND <command>...)
function(step)
  cmake_parse_arguments(PARSE_ARGV 0 arg "FAILS" "SAYS" "COMMAND;ENV")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env ${arg_ENV} ${arg_COMMAND}
    WORKING_DIRECTORY "${source}"
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " said "${output}")
  set(failed TRUE)
  if(result EQUAL 0)
    set(failed FALSE)
  endif()
  if(NOT "${failed}" STREQUAL "${arg_FAILS}" OR NOT said MATCHES "${arg_SAYS}")
    message(FATAL_ERROR "${arg_COMMAND}\nended with ${result}; expected \"${arg_SAYS}\" in its output:\n${output}")
  endif()
endfunction()

if("${EXAMPLE}" STREQUAL "python-extension")
  include("${CMAKE_CURRENT_LIST_DIR}/python_example.cmake")
elseif("${EXAMPLE}" STREQUAL "third-party")
  step(COMMAND "${TESTED_CMAKE}" --workflow --preset default SAYS "solver: RTX 3090; H100 -> 86-real 90, as the project builds it")
  step(FAILS COMMAND "${TESTED_CMAKE}" --workflow --preset wrong SAYS "target solver does not hold what is required of it")
else()
  step(COMMAND "${TESTED_CMAKE}" --workflow --preset default SAYS "100% tests passed")
endif()
if("${EXAMPLE}" MATCHES "^(ci|docker)$")
  include("${CMAKE_CURRENT_LIST_DIR}/${EXAMPLE}_example.cmake")
endif()
