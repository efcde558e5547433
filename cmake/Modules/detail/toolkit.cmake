# The CUDA toolkit's own word on what it builds. CMake's tables are not asked: they lag behind the toolkits.
include_guard(GLOBAL)

# _cag_find_nvcc(<out-var>): the project's compiler, else $CUDACXX, else nvcc on PATH, else in the customary folder; "" for none.
function(_cag_find_nvcc out)
  set(nvcc "")
  if(CMAKE_CUDA_COMPILER AND NOT "${CMAKE_CUDA_COMPILER_ID}" STREQUAL "Clang")
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  elseif(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT AND EXISTS "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/bin/nvcc")
    set(nvcc "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/bin/nvcc")
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if("${nvcc}" STREQUAL "" OR NOT IS_ABSOLUTE "${nvcc}")
    if("${nvcc}" STREQUAL "")
      set(nvcc nvcc)
    endif()
    find_program(
      found
      NAMES "${nvcc}"
      HINTS "$ENV{CUDA_PATH}/bin" "$ENV{CUDA_HOME}/bin"
      PATHS /usr/local/cuda/bin NO_CACHE)
    set(nvcc "")
    if(found)
      set(nvcc "${found}")
    endif()
  endif()
  set(${out} "${nvcc}" PARENT_SCOPE)
endfunction()

# Asks nvcc, once a configure run.
#
# _cag_toolkit(<prefix>) sets <prefix>_NVCC, _VERSION ("13.0.88"), _RELEASE ("13.0"), _REAL and _VIRTUAL ("75;80;90a"), and _PROBLEM
# where there is no answer.
function(_cag_toolkit prefix)
  _cag_find_nvcc(nvcc)
  get_property(known GLOBAL PROPERTY _CAG_TOOLKIT_NVCC)
  if("${nvcc}" STREQUAL "" OR NOT "${known}" STREQUAL "${nvcc}")
    _cag_ask_nvcc("${nvcc}")
  endif()
  foreach(field IN ITEMS NVCC VERSION RELEASE REAL VIRTUAL PROBLEM)
    get_property(value GLOBAL PROPERTY _CAG_TOOLKIT_${field})
    set(${prefix}_${field} "${value}" PARENT_SCOPE)
  endforeach()
endfunction()

# The help text names every target, those with a letter included; --list-gpu-arch and --list-gpu-code leave the letters out.
function(_cag_ask_nvcc nvcc)
  set(version "")
  set(release "")
  set(real "")
  set(virtual "")
  set(problem "")
  if("${nvcc}" STREQUAL "")
    set(problem "no nvcc: neither CMAKE_CUDA_COMPILER nor CUDACXX is set, and none is on PATH or in /usr/local/cuda/bin")
  else()
    execute_process(
      COMMAND "${nvcc}" --version
      OUTPUT_VARIABLE banner
      ERROR_VARIABLE banner_error
      RESULT_VARIABLE result
      TIMEOUT 60)
    if(result EQUAL 0 AND banner MATCHES "V([0-9]+\\.[0-9]+\\.[0-9]+)")
      set(version ${CMAKE_MATCH_1})
      string(REGEX MATCH "^[0-9]+\\.[0-9]+" release "${version}")
      execute_process(
        COMMAND "${nvcc}" --list-gpu-code
        OUTPUT_VARIABLE codes
        ERROR_QUIET
        TIMEOUT 60)
      execute_process(
        COMMAND "${nvcc}" --list-gpu-arch
        OUTPUT_VARIABLE archs
        ERROR_QUIET
        TIMEOUT 60)
      execute_process(
        COMMAND "${nvcc}" --help
        OUTPUT_VARIABLE help
        ERROR_QUIET
        TIMEOUT 60)
      string(REGEX MATCHALL "Allowed values for this option:[^.]*" allowed "${help}")
      _cag_targets_in(real sm "${codes} ${allowed}")
      _cag_targets_in(virtual compute "${archs} ${allowed}")
    endif()
    if(NOT real OR NOT virtual)
      set(problem "${nvcc} does not say which architectures it builds (exit status ${result}) ${banner_error}")
    endif()
  endif()
  foreach(field IN ITEMS nvcc version release real virtual problem)
    string(TOUPPER ${field} name)
    set_property(GLOBAL PROPERTY _CAG_TOOLKIT_${name} "${${field}}")
  endforeach()
endfunction()

function(_cag_targets_in out kind text)
  string(REGEX MATCHALL "${kind}_[0-9]+[af]?" found "${text}")
  list(TRANSFORM found REPLACE "^${kind}_" "")
  _cag_sort_archs(found ${found})
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# _cag_sort_archs(<out-var> [arch...]): each once, by number, then plain, f, a: numeric, never textual (75 < 100).
function(_cag_sort_archs out)
  set(archs ${ARGN})
  list(REMOVE_DUPLICATES archs)
  list(TRANSFORM archs REPLACE "a$" "z")
  list(SORT archs COMPARE NATURAL)
  list(TRANSFORM archs REPLACE "z$" "a")
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()
