# Runs at build time: cmake -DMODE=… -DDELETE=… -DSTAMP=… -DWHAT=… -P verify_binary.cmake -- <verifier> verify <option>... -- <file>...
#
# Ends well only when the verifier ran to its end and said that everything required is there.
cmake_minimum_required(VERSION 3.25)

# Behind the first "--" is the verifier's command, behind the second are the files.
set(command "")
set(files "")
set(part "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  set(argument "${CMAKE_ARGV${index}}")
  if("${argument}" STREQUAL "--" AND "${part}" STREQUAL "")
    set(part command)
  elseif("${argument}" STREQUAL "--")
    set(part files)
  elseif(part)
    string(REPLACE ";" "\\;" argument "${argument}")
    list(APPEND ${part} "${argument}")
  endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/environment.cmake")
foreach(variable IN LISTS _CAG_DECIDING_VARIABLES)
  unset(ENV{${variable}})
endforeach()

list(GET command 0 verifier)
set(report "")
set(problem "")
string(ASCII 27 escape)
if(NOT EXISTS "${verifier}")
  set(problem "was not verified: the verifier ${verifier} is missing.\n  Install CudaArchGuard again, set CudaArchGuard_EXECUTABLE \
to the path of cuda-arch-guard, or say VERIFY OFF to build without verification.")
elseif("${files}" STREQUAL "")
  set(problem "was not verified: it has no files.")
else()
  execute_process(
    COMMAND ${command} ${files}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE report
    ERROR_VARIABLE log)
  string(APPEND report "${log}")
  if(result EQUAL 1)
    set(problem "does not hold what is required of it.")
  elseif(result EQUAL 2)
    set(problem "could not be judged, and what was not judged does not pass.")
  elseif(NOT result EQUAL 0)
    set(problem "was not judged: the verifier ended with \"${result}\".")
  endif()
endif()

if(problem AND NOT "${MODE}" STREQUAL "WARN")
  if(DELETE)
    file(REMOVE ${files})
    string(APPEND problem "\n  It was deleted; the next build makes and verifies it again.")
  endif()
  message("${report}")
  message(FATAL_ERROR "  CudaArchGuard: ${WHAT} ${problem}")
elseif(problem)
  message("${report}\nCudaArchGuard: warning: ${WHAT} ${problem} The build goes on (VERIFY WARN).")
elseif("${report}" MATCHES "(^|\n)(${escape}\\[[0-9;]*m)*\\?(${escape}\\[[0-9;]*m| )*CAG|::warning|\"level\": \"warning\""
)# text, github, json
  message("${report}\nCudaArchGuard: ${WHAT} holds what is required of it, with the warnings above.")
endif()
if(STAMP)
  file(TOUCH "${STAMP}")
endif()
