# The CUDA toolkit's own word on what it builds. CMake's tables are not asked: they lag behind the toolkits.
include_guard(GLOBAL)

# _cag_find_nvcc(<out-var>): the project's compiler, else $CUDACXX, else nvcc on PATH, else in the customary folder; "" for none. Where Clang
# compiles CUDA, the nvcc of its toolkit.
function(_cag_find_nvcc out)
  set(nvcc "")
  _cag_clang(clang)
  if(CMAKE_CUDA_COMPILER AND NOT clang)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  elseif(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT AND EXISTS "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/bin/nvcc")
    set(nvcc "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/bin/nvcc")
  elseif(clang AND EXISTS "${CUDAToolkit_ROOT}/bin/nvcc")
    set(nvcc "${CUDAToolkit_ROOT}/bin/nvcc")
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "" AND NOT clang)
    set(nvcc "$ENV{CUDACXX}")
    get_filename_component(program "${nvcc}" PROGRAM PROGRAM_ARGS options)
    if(options AND program) # CMake allows options behind the name
      set(nvcc "${program}")
    endif()
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

# _cag_clang(<out-var>): the Clang that compiles CUDA here; "" where nvcc does.
function(_cag_clang out)
  set(clang "")
  foreach(compiler IN ITEMS "${CMAKE_CUDA_COMPILER}" "$ENV{CUDACXX}")
    if(compiler)
      get_filename_component(name "${compiler}" NAME)
      if("${CMAKE_CUDA_COMPILER_ID}" STREQUAL "Clang" OR ("${CMAKE_CUDA_COMPILER_ID}" STREQUAL "" AND name MATCHES "^clang"))
        set(clang "${compiler}") # project() has said so, or will
      endif()
      break()
    endif()
  endforeach()
  set(${out} "${clang}" PARENT_SCOPE)
endfunction()

# Asks nvcc, and Clang where it compiles, once a configure run.
#
# _cag_toolkit(<prefix>) sets <prefix>_NVCC, _VERSION ("13.0.88"), _RELEASE ("13.0"), _BUILDER ("CUDA 13.0", "Clang with CUDA 13.0"), _REAL and
# _VIRTUAL ("75;80;90a"), and _PROBLEM where there is no answer.
function(_cag_toolkit prefix)
  _cag_find_nvcc(nvcc)
  _cag_clang(clang)
  get_property(known GLOBAL PROPERTY _CAG_TOOLKIT_ASKED)
  if("${nvcc}" STREQUAL "" OR NOT "${known}" STREQUAL "${nvcc}|${clang}")
    _cag_ask_nvcc("${nvcc}" "${clang}")
    set_property(GLOBAL PROPERTY _CAG_TOOLKIT_ASKED "${nvcc}|${clang}")
  endif()
  foreach(field IN ITEMS NVCC VERSION RELEASE BUILDER REAL VIRTUAL PROBLEM)
    get_property(value GLOBAL PROPERTY _CAG_TOOLKIT_${field})
    set(${prefix}_${field} "${value}" PARENT_SCOPE)
  endforeach()
endfunction()

# The help text names every target, those with a letter included; --list-gpu-arch and --list-gpu-code leave the letters out.
function(_cag_ask_nvcc nvcc clang)
  set(version "")
  set(release "")
  set(builder "")
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
    set(builder "CUDA ${release}")
    if(clang AND real AND virtual)
      _cag_keep_what_clang_knows("${clang}")
    endif()
    if("${problem}" STREQUAL "" AND (NOT real OR NOT virtual))
      set(problem "${nvcc} does not say which architectures it builds (exit status ${result}) ${banner_error}")
    endif()
  endif()
  foreach(field IN ITEMS nvcc version release builder real virtual problem)
    string(TOUPPER ${field} name)
    set_property(GLOBAL PROPERTY _CAG_TOOLKIT_${name} "${${field}}")
  endforeach()
endfunction()

# Clang builds what it knows itself, whatever the toolkit builds: no 90 with Clang 14, no letters before they were made. A macro: it narrows
# what _cag_ask_nvcc found.
macro(_cag_keep_what_clang_knows clang)
  execute_process(
    COMMAND "${clang}" --target=nvptx64-nvidia-cuda -print-supported-cpus
    OUTPUT_VARIABLE banner
    ERROR_VARIABLE cpus
    TIMEOUT 60)
  string(APPEND cpus "${banner}")
  string(REGEX MATCH "clang version [0-9]+" banner "${cpus}")
  string(REGEX REPLACE "^clang version" "Clang" banner "${banner}")
  set(builder "${banner} with CUDA ${release}")
  _cag_targets_in(known sm "${cpus}")
  foreach(kind IN ITEMS real virtual)
    set(kept "")
    foreach(arch IN LISTS ${kind})
      if(arch IN_LIST known)
        list(APPEND kept ${arch})
      endif()
    endforeach()
    set(${kind} "${kept}")
  endforeach()
  if("${real}" STREQUAL "")
    set(problem "${clang} does not say that it builds anything for GPUs that CUDA ${release} knows")
  endif()
endmacro()

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
