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
elseif("${EXAMPLE}" STREQUAL "lab")
  file(SHA256 "${source}/lab-presets.json" committed)
  step(COMMAND "${WORK}/prefix/bin/cuda-arch-guard" lab presets --write lab-presets.json SAYS "wrote lab-presets.json")
  file(SHA256 "${source}/lab-presets.json" made)
  if(NOT committed STREQUAL made)
    message(FATAL_ERROR "lab-presets.json is not what cuda-arch-guard lab presets makes of lab.json")
  endif()
  foreach(kind IN ITEMS configure build test workflow)
    step(COMMAND "${TESTED_CMAKE}" --list-presets=${kind} SAYS "lab-orin-01.*lab-b300-1.*lab-spark-1.*lab-hopper-nodes")
  endforeach()
  set(presets orin-01 ws-07 render-1 hopper-1 pro-6000 b300-1 spark-1 hopper-nodes)
  if(NOT TESTED_CMAKE STREQUAL CMAKE_COMMAND)
    set(presets hopper-nodes) # one is enough for another CMake
  endif()
  step(COMMAND "${TESTED_CMAKE}" --workflow --preset default SAYS "lab-example: lab:ws-07; lab:hopper-1 -> 89-real 90 .*100% tests passed")
  foreach(preset IN LISTS presets)
    step(COMMAND "${TESTED_CMAKE}" --workflow --preset lab-${preset} SAYS "100% tests passed")
  endforeach()
  # By the rules: CUDA 13.0's runtime does not start on JetPack 6 (35), 90 serves neither 6.x nor 8.x, its PTX serves what is newer.
  step(
    FAILS COMMAND "${WORK}/prefix/bin/cuda-arch-guard" lab check --date 2026-11-30 build/lab-hopper-nodes/lab-example SAYS
    "✗ orin-01 [^✗●○]*kernel fail.*✗ old-desk [^✗●○]*fail ✗ ws-07 [^✗●○]*fail ✗ render-1 [^✗●○]*fail ● hopper-1 [^✗●○]*1 of 1 kernel run ○ \
pro-6000 [^✗●○]*compiling PTX ○ b300-1 [^✗●○]*compiling PTX \\(from 2027-02-01 on\\) ○ spark-1 [^✗●○]*compiling PTX")
  # The GTX 1080 needs CUDA 12.9 or older, as lab.json says of its toolkits: newer ones refuse, and an older nvcc builds for it:
  # CAG_OLD_NVCC=$(tests/toolkit/get-nvcc 12.4) ctest --preset release -R "example lab"
  if(DEFINED ENV{CAG_OLD_NVCC})
    step(ENV "CUDACXX=$ENV{CAG_OLD_NVCC}" COMMAND "${TESTED_CMAKE}" --workflow --preset lab-old-desk SAYS "100% tests passed")
  else()
    step(FAILS COMMAND "${TESTED_CMAKE}" --workflow --preset lab-old-desk SAYS "compute_61")
  endif()
else()
  step(COMMAND "${TESTED_CMAKE}" --workflow --preset default SAYS "100% tests passed")
endif()
if("${EXAMPLE}" MATCHES "^(ci|docker)$")
  include("${CMAKE_CURRENT_LIST_DIR}/${EXAMPLE}_example.cmake")
endif()
