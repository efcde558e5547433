# The end of the configuration: what was requested, what is built, who decided; the same as a manifest for CI.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_targets.cmake")

# _cag_record(<target> REQUESTED <spec>... DECIDED_BY <text> [DROPPED <arch>...] [NOTES <text>...])
function(_cag_record target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DECIDED_BY" "REQUESTED;DROPPED;NOTES")
  set_property(TARGET ${target} APPEND PROPERTY _CAG_REQUESTED ${arg_REQUESTED})
  set_property(TARGET ${target} APPEND PROPERTY _CAG_DROPPED ${arg_DROPPED})
  set_property(TARGET ${target} APPEND PROPERTY _CAG_NOTES ${arg_NOTES})
  set_property(TARGET ${target} PROPERTY _CAG_DECIDED_BY "${arg_DECIDED_BY}")
  set_property(GLOBAL APPEND PROPERTY _CAG_TARGETS ${target})
  get_property(scheduled GLOBAL PROPERTY _CAG_SUMMARY_SCHEDULED)
  if(NOT scheduled)
    set_property(GLOBAL PROPERTY _CAG_SUMMARY_SCHEDULED TRUE)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _cag_finish)
  endif()
endfunction()

function(_cag_finish)
  list(APPEND CMAKE_MESSAGE_CONTEXT "CudaArchGuard")
  get_property(targets GLOBAL PROPERTY _CAG_TARGETS)
  list(REMOVE_DUPLICATES targets)
  message(STATUS "CudaArchGuard: GPU architectures of this build")
  foreach(target IN LISTS targets)
    _cag_print_target(${target})
    _cag_check_target(${target})
  endforeach()
  _cag_check_device_links(${targets})
  _cag_check_lookalikes()
  _cag_write_manifest(${targets})
endfunction()

function(_cag_print_target target)
  foreach(field IN ITEMS REQUESTED EFFECTIVE DROPPED NOTES DECIDED_BY MODE)
    get_property(${field} TARGET ${target} PROPERTY _CAG_${field})
    list(REMOVE_DUPLICATES ${field})
  endforeach()
  list(JOIN REQUESTED "; " requested)
  list(JOIN EFFECTIVE " " effective)
  if("${effective}" STREQUAL "")
    set(effective "as the project builds it")
  endif()
  message(STATUS "  ${target}: ${requested} -> ${effective} (decided by ${DECIDED_BY})")
  foreach(note IN LISTS NOTES)
    message(STATUS "    ${note}")
  endforeach()
  if("${MODE}" STREQUAL "OFF")
    message(STATUS "    not verified: VERIFY OFF")
  endif()
endfunction()

# Notices what others changed after the call.
function(_cag_check_target target)
  get_property(effective TARGET ${target} PROPERTY _CAG_EFFECTIVE)
  _cag_check_all_covered(${target})
  if("${effective}" STREQUAL "")
    return()
  endif()
  get_property(
    by_flags
    TARGET ${target}
    PROPERTY _CAG_COMPILE_FLAGS
    SET)
  get_target_property(now ${target} CUDA_ARCHITECTURES)
  if(NOT by_flags AND NOT "${now}" STREQUAL "${effective}")
    message(WARNING "CudaArchGuard: the architectures of ${target} were changed after cuda_fatbin_targets(): CUDA_ARCHITECTURES was \
\"${effective}\" and is \"${now}\". The verification still requires what was asked for. Remove the later change, or give its \
architectures to cuda_fatbin_targets().")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_directory_property(flags DIRECTORY "${folder}" DEFINITION CMAKE_CUDA_FLAGS)
  get_target_property(options ${target} COMPILE_OPTIONS)
  set(options "${flags} ${options}")
  if(options MATCHES "(-gencode|--generate-code|-arch|--gpu-architecture)[= ]*([a-z_=]*[0-9]+[af]?[^ ;]*|all|native|all-major)")
    message(
      WARNING
        "CudaArchGuard: CMAKE_CUDA_FLAGS or the compile options of ${target} hold \"${CMAKE_MATCH_0}\": somebody (a \
find_package(Torch), an environment variable) adds architectures behind CMake's back. They are built besides \"${effective}\" and cost time and \
size. Remove that flag.")
  endif()
endfunction()

# Variables that people set in place of CMAKE_CUDA_ARCHITECTURES, and that nobody reads.
function(_cag_check_lookalikes)
  foreach(name IN ITEMS CUDA_ARCHITECTURES CMAKE_CUDA_ARCHITECTURE CMAKE_CUDA_ARCH CUDA_ARCHS CUDA_ARCH_LIST CMAKE_CUDA_ARCH_LIST)
    if(DEFINED CACHE{${name}})
      get_property(help CACHE ${name} PROPERTY HELPSTRING)
      if("${help}" MATCHES "No help, variable specified on the command line")
        message(
          WARNING "CudaArchGuard: ${name}=${${name}} was given, which CMake does not read. If it was meant for the architectures, give \
-DCMAKE_CUDA_ARCHITECTURES=\"${${name}}\" and -U${name}.")
      endif()
    endif()
  endforeach()
endfunction()

# A target that leaves the architectures to cuda_fatbin_sources() (CUDA_ARCHITECTURES OFF) must give it every CUDA source.
function(_cag_check_all_covered target)
  get_property(sets TARGET ${target} PROPERTY _CAG_SETS)
  get_property(
    by_flags
    TARGET ${target}
    PROPERTY _CAG_COMPILE_FLAGS
    SET)
  get_target_property(archs ${target} CUDA_ARCHITECTURES)
  if(sets AND NOT by_flags AND "${archs}" MATCHES "^(OFF|FALSE|NO|0)$")
    _cag_own_cuda_sources(sources ${target})
    if(sources)
      list(JOIN sources ", " sources)
      _cag_refusal(
        text EXPECTED "an architecture for every CUDA source of ${target}, whose CUDA_ARCHITECTURES is OFF" FOUND "none for ${sources}"
        ALLOWED "cuda_fatbin_sources(${target} SOURCES ... ARCHS ...)" FIX
        "give these files to cuda_fatbin_sources(), or ${target} to cuda_fatbin_targets()")
      message(FATAL_ERROR "cuda_fatbin_sources:\n${text}")
    endif()
  endif()
endfunction()

# The device link takes its architectures from the final target, whatever the objects hold: a final target that nobody named would be linked
# for CMake's default.
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
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if("${type}" MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$" AND libraries AND NOT "${target}" IN_LIST ARGN)
      foreach(library IN LISTS separable)
        get_target_property(resolved ${library} CUDA_RESOLVE_DEVICE_SYMBOLS)
        if("${library}" IN_LIST libraries AND NOT resolved)
          get_property(archs TARGET ${library} PROPERTY _CAG_EFFECTIVE)
          get_target_property(default ${target} CUDA_ARCHITECTURES)
          message(
            WARNING "CudaArchGuard: ${target} links ${library}, which is relocatable device code for \"${archs}\", but the device link \
of ${target} is for \"${default}\". Add ${target} to cuda_fatbin_targets() beside ${library}.")
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

# cudaarchguard.json in the build folder; with a multi-configuration generator one a configuration: cudaarchguard-Release.json.
function(_cag_write_manifest)
  _cag_toolkit(toolkit)
  set(rows "")
  foreach(target IN LISTS ARGN)
    set(row "")
    get_target_property(type ${target} TYPE)
    get_target_property(folder ${target} SOURCE_DIR)
    get_property(by TARGET ${target} PROPERTY _CAG_DECIDED_BY)
    get_property(mode TARGET ${target} PROPERTY _CAG_MODE)
    get_property(driver TARGET ${target} PROPERTY _CAG_DRIVER)
    _cag_json_text(name "${target}")
    _cag_json_text(folder "${folder}")
    _cag_json_text(by "${by}")
    if("${type}" STREQUAL "OBJECT_LIBRARY")
      set(file null)
    else()
      set(file "\"$<TARGET_FILE:${target}>\"")
    endif()
    string(APPEND row "    {\"name\": ${name}, \"type\": \"${type}\", \"directory\": ${folder},\n     \"file\": ${file},\n")
    foreach(field IN ITEMS REQUESTED EFFECTIVE DROPPED NOTES REQUIRE_SASS REQUIRE_PTX REQUIRE_RUNS_ON)
      get_property(values TARGET ${target} PROPERTY _CAG_${field})
      list(REMOVE_DUPLICATES values)
      _cag_json_texts(values ${values})
      string(TOLOWER "${field}" key)
      string(APPEND row "     \"${key}\": ${values},\n")
    endforeach()
    if("${driver}" STREQUAL "")
      set(driver null)
    else()
      _cag_json_text(driver "${driver}")
    endif()
    string(APPEND row "     \"driver\": ${driver}, \"verify\": \"${mode}\", \"decided_by\": ${by}}")
    list(APPEND rows "${row}")
  endforeach()
  string(REPLACE ";" ",\n" rows "${rows}")
  _cag_json_text(nvcc "${toolkit_NVCC}")
  set(name cudaarchguard.json)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi)
    set(name "cudaarchguard-$<CONFIG>.json")
  endif()
  file(
    GENERATE
    OUTPUT "${CMAKE_BINARY_DIR}/${name}"
    CONTENT
      "{\n  \"schema_version\": 1,\n  \"toolkit\": {\"nvcc\": ${nvcc}, \"version\": \"${toolkit_VERSION}\"},\n  \"targets\": [\n${rows}\n  ]\n}\n"
  )
endfunction()

function(_cag_json_text out text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE ";" ", " text "${text}")
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

function(_cag_json_texts out)
  set(texts "")
  foreach(text IN LISTS ARGN)
    _cag_json_text(text "${text}")
    list(APPEND texts "${text}")
  endforeach()
  list(JOIN texts ", " joined)
  set(${out} "[${joined}]" PARENT_SCOPE)
endfunction()
