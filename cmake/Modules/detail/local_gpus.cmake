# The GPUs of this machine: all of them, and how that is known.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/program.cmake")

# Asks our program (NVML, the driver and more), nvidia-smi, then the query tool that comes with nvcc; the first useful answer counts. Once a
# configure run.
#
# _cag_local_gpus(<prefix>) sets <prefix>_CAPABILITIES ("8.9;7.5", one a GPU), <prefix>_NAMES (one a GPU), <prefix>_DETECTED_BY ("" for
# no GPU) and <prefix>_PROBLEMS (why each method that did not answer did not).
function(_cag_local_gpus prefix)
  get_property(asked GLOBAL PROPERTY _CAG_LOCAL_ASKED)
  if(NOT asked)
    _cag_ask_for_gpus()
    set_property(GLOBAL PROPERTY _CAG_LOCAL_ASKED TRUE)
  endif()
  foreach(field IN ITEMS CAPABILITIES NAMES DETECTED_BY PROBLEMS)
    get_property(value GLOBAL PROPERTY _CAG_LOCAL_${field})
    set(${prefix}_${field} "${value}" PARENT_SCOPE)
  endforeach()
endfunction()

function(_cag_ask_for_gpus)
  set(problems "")
  foreach(method IN ITEMS survey nvidia_smi device_query)
    cmake_language(CALL _cag_gpus_by_${method} capabilities names problem)
    if(capabilities)
      set_property(GLOBAL PROPERTY _CAG_LOCAL_CAPABILITIES "${capabilities}")
      set_property(GLOBAL PROPERTY _CAG_LOCAL_NAMES "${names}")
      string(REPLACE "survey" "cuda-arch-guard survey" method "${method}")
      string(REPLACE "device_query" "__nvcc_device_query" method "${method}")
      string(REPLACE "nvidia_smi" "nvidia-smi" method "${method}")
      set_property(GLOBAL PROPERTY _CAG_LOCAL_DETECTED_BY "${method}")
      break()
    endif()
    if(problem)
      list(APPEND problems "${problem}")
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY _CAG_LOCAL_PROBLEMS "${problems}")
endfunction()

# Where the program is there already: in a build that makes it, and without the package, the other methods do. Silent where it is not.
function(_cag_gpus_by_survey out_capabilities out_names out_problem)
  set(capabilities "")
  set(names "")
  set(problem "")
  _cag_program(program)
  if(program)
    execute_process(
      COMMAND "${program}" survey --format json
      OUTPUT_VARIABLE answer
      ERROR_QUIET
      RESULT_VARIABLE result
      TIMEOUT 60)
    string(JSON count ERROR_VARIABLE absent LENGTH "${answer}" machine gpus)
    if(absent)
      set(problem "cuda-arch-guard survey ended with ${result} and said nothing of GPUs")
    elseif(count EQUAL 0)
      set(problem "cuda-arch-guard survey finds no GPU")
    else()
      math(EXPR last "${count} - 1")
      foreach(index RANGE ${last})
        string(JSON capability GET "${answer}" machine gpus ${index} capability)
        string(JSON name GET "${answer}" machine gpus ${index} name)
        if("${capability}" MATCHES "^[0-9]+\\.[0-9]+$")
          list(APPEND capabilities "${capability}")
          list(APPEND names "${name}")
        else()
          set(problem "cuda-arch-guard survey does not know the compute capability of GPU ${index} (${name})")
        endif()
      endforeach()
      if(problem)
        set(capabilities "") # half an answer would leave a GPU out without a word
      endif()
    endif()
  endif()
  foreach(value IN ITEMS capabilities names problem)
    set(${out_${value}} "${${value}}" PARENT_SCOPE)
  endforeach()
endfunction()

function(_cag_gpus_by_nvidia_smi out_capabilities out_names out_problem)
  set(capabilities "")
  set(names "")
  set(problem "")
  find_program(tool NAMES nvidia-smi NO_CACHE)
  if(NOT tool)
    set(problem "nvidia-smi is not on PATH")
  else()
    execute_process(
      COMMAND "${tool}" --query-gpu=compute_cap,name --format=csv,noheader
      OUTPUT_VARIABLE answer
      ERROR_VARIABLE complaint
      RESULT_VARIABLE result
      TIMEOUT 30)
    string(REPLACE ";" "," answer "${answer}")
    string(REGEX REPLACE "\r?\n" ";" rows "${answer}")
    foreach(row IN LISTS rows)
      if(row MATCHES "^ *([0-9]+\\.[0-9]+) *, *(.*[^ ]) *$")
        list(APPEND capabilities ${CMAKE_MATCH_1})
        list(APPEND names "${CMAKE_MATCH_2}")
      elseif(row MATCHES "[^ ]")
        set(problem "nvidia-smi answered \"${row}\" where a compute capability and a name were expected")
      endif()
    endforeach()
    if(NOT result EQUAL 0)
      string(STRIP "${complaint}${answer}" complaint)
      set(problem "nvidia-smi failed (${result}): ${complaint}")
    endif()
    # Half an answer would leave a GPU out without a word.
    if(problem)
      set(capabilities "")
    elseif(NOT capabilities)
      set(problem "nvidia-smi lists no GPU")
    endif()
  endif()
  foreach(value IN ITEMS capabilities names problem)
    set(${out_${value}} "${${value}}" PARENT_SCOPE)
  endforeach()
endfunction()

# `nvcc -arch=native` asks this program, which prints the numbers of the architectures.
function(_cag_gpus_by_device_query out_capabilities out_names out_problem)
  set(capabilities "")
  set(names "")
  set(problem "")
  _cag_find_nvcc(nvcc)
  get_filename_component(folder "${nvcc}" DIRECTORY)
  find_program(tool NAMES __nvcc_device_query HINTS "${folder}" NO_CACHE)
  if(NOT tool)
    set(problem "__nvcc_device_query is not beside nvcc")
  else()
    execute_process(
      COMMAND "${tool}"
      OUTPUT_VARIABLE answer
      ERROR_VARIABLE complaint
      RESULT_VARIABLE result
      TIMEOUT 30)
    string(STRIP "${answer}" answer)
    if(result EQUAL 0 AND answer MATCHES "^(sm_)?[0-9]+([ ,\r\n]+(sm_)?[0-9]+)*$")
      string(REGEX MATCHALL "[0-9]+" numbers "${answer}")
      foreach(number IN LISTS numbers)
        string(REGEX REPLACE "^(.+)(.)$" "\\1.\\2" capability "${number}")
        list(APPEND capabilities ${capability})
        list(APPEND names "GPU of ${capability}")
      endforeach()
    else()
      string(STRIP "${complaint}${answer}" complaint)
      set(problem "__nvcc_device_query found none (${result}): ${complaint}")
    endif()
  endif()
  foreach(value IN ITEMS capabilities names problem)
    set(${out_${value}} "${${value}}" PARENT_SCOPE)
  endforeach()
endfunction()
