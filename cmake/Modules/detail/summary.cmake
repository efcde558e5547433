# The end of the configuration: what was requested, what is built, who decided; the same as a manifest for CI.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/device_links.cmake")

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
    get_property(notes TARGET ${target} PROPERTY _CAG_BUILD_NOTES) # of what all its calls make together
    set_property(TARGET ${target} APPEND PROPERTY _CAG_NOTES ${notes})
    _cag_excuse_nothing(${target})
    _cag_print_target(${target})
    _cag_check_target(${target})
  endforeach()
  _cag_check_device_links(${targets})
  _cag_check_linked_toolkits(${targets})
  _cag_check_lookalikes()
  _cag_check_init()
  _cag_check_native()
  _cag_check_tests()
  _cag_check_local_gpus(${targets})
  _cag_write_manifest(${targets})
endfunction()

function(_cag_print_target target)
  foreach(field IN ITEMS REQUESTED EFFECTIVE DROPPED NOTES DECIDED_BY MODE)
    get_property(${field} TARGET ${target} PROPERTY _CAG_${field})
    list(REMOVE_DUPLICATES ${field})
  endforeach()
  list(JOIN REQUESTED "; " requested)
  list(JOIN EFFECTIVE " " effective)
  set(whose "")
  get_property(sets TARGET ${target} PROPERTY _CAG_SETS)
  if("${effective}" STREQUAL "" AND sets)
    set(effective "each of its sets of sources for itself")
  elseif("${effective}" STREQUAL "")
    _cag_project_choice(effective whose ${target})
  endif()
  message(STATUS "  ${target}: ${requested} -> ${effective} (decided by ${DECIDED_BY})")
  if(whose)
    message(STATUS "    ${whose}")
  endif()
  foreach(note IN LISTS NOTES)
    message(STATUS "    ${note}")
  endforeach()
  if("${MODE}" STREQUAL "OFF")
    message(STATUS "    not verified: VERIFY OFF")
  endif()
endfunction()

# What a project that is left alone builds, and whether it is what the user asked of it.
function(_cag_project_choice out out_note target)
  get_target_property(archs ${target} CUDA_ARCHITECTURES)
  set(note "")
  if(NOT archs)
    set(${out} "as the project builds it" PARENT_SCOPE)
  else()
    _cag_user_architectures(user by)
    if("${by}" MATCHES "^-D" AND NOT "${archs}" STREQUAL "${user}")
      set(note "the project does not build the list of -D CMAKE_CUDA_ARCHITECTURES=${user} for this target")
    endif()
    list(JOIN archs " " archs)
    set(${out} "${archs}, as the project builds it" PARENT_SCOPE)
  endif()
  set(${out_note} "${note}" PARENT_SCOPE)
endfunction()

# Notices who took cuda_archs_init()'s list away.
function(_cag_check_init)
  get_property(init GLOBAL PROPERTY _CAG_INIT_VALUE)
  get_property(folder GLOBAL PROPERTY _CAG_INIT_FOLDER)
  if(init)
    get_directory_property(now DIRECTORY "${folder}" DEFINITION CMAKE_CUDA_ARCHITECTURES)
  endif()
  if(init AND NOT "${now}" STREQUAL "" AND NOT "${now}" STREQUAL "${init}")
    message(
      WARNING
        "CudaArchGuard: CMAKE_CUDA_ARCHITECTURES was changed after cuda_archs_init(): it was \"${init}\" and is \"${now}\" (a \
find_package(Torch) sets OFF). Targets made after that which cuda_fatbin_targets() does not name are compiled for the latter. Name them, or set \
the variable again.")
  endif()
endfunction()

# CMake's own `native` needs a GPU: without one, 3.28 and newer compile for nvcc's default, and say nothing.
function(_cag_check_native)
  _cag_all_targets(all "${CMAKE_SOURCE_DIR}")
  set(native "")
  foreach(target IN LISTS all)
    get_property(archs TARGET ${target} PROPERTY CUDA_ARCHITECTURES)
    if("${archs}" STREQUAL "native")
      list(APPEND native ${target})
    endif()
  endforeach()
  if(native)
    _cag_local_gpus(local)
    if("${local_CAPABILITIES}" STREQUAL "")
      list(JOIN native ", " native)
      message(
        WARNING
          "CudaArchGuard: CUDA_ARCHITECTURES of ${native} is \"native\", and this machine has no GPU: CMake compiles for nvcc's default then, \
which may run nowhere. Give -DCMAKE_CUDA_ARCHITECTURES a list, or name these targets in cuda_fatbin_targets().")
    endif()
  endif()
endfunction()

# Notices what others changed after the call.
function(_cag_check_target target)
  get_property(effective TARGET ${target} PROPERTY _CAG_EFFECTIVE)
  _cag_check_all_covered(${target})
  get_property(driver TARGET ${target} PROPERTY _CAG_DRIVER)
  get_property(gpus TARGET ${target} PROPERTY _CAG_REQUIRE_RUNS_ON)
  if(driver AND NOT gpus)
    message(
      WARNING
        "CudaArchGuard: DRIVER ${driver} of ${target} says nothing without GPUS: which image a driver takes is a matter of the GPU. Name the \
GPUs, too.")
  endif()
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

# add_test() does nothing where testing is not switched on, and a ctest without tests ends well.
function(_cag_check_tests)
  get_property(tests GLOBAL PROPERTY _CAG_TESTS)
  get_directory_property(enabled DIRECTORY "${CMAKE_SOURCE_DIR}" DEFINITION CMAKE_TESTING_ENABLED)
  if(tests AND NOT enabled)
    list(JOIN tests ", " tests)
    message(
      WARNING
        "CudaArchGuard: ctest will not run ${tests}, since the top CMakeLists.txt does not call enable_testing(). Call it there, before the targets are made."
    )
  endif()
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

# Somebody who builds here often runs here: a GPU of this machine that a target leaves out is told, not refused.
function(_cag_check_local_gpus)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  _cag_local_gpus(local)
  foreach(target IN LISTS ARGN)
    get_property(archs TARGET ${target} PROPERTY _CAG_EFFECTIVE)
    foreach(capability name IN ZIP_LISTS local_CAPABILITIES local_NAMES)
      _cag_serves(serves "${capability}" ${archs})
      if(archs AND NOT serves)
        list(JOIN archs " " shown)
        message(STATUS "  ${target} (${shown}) will not run on this machine's ${name} (compute capability ${capability})")
      endif()
    endforeach()
  endforeach()
endfunction()

# Whether a GPU takes one of these architectures: SASS of its major up to its minor, a of its own, f of its major, plain PTX up to it.
function(_cag_serves out capability)
  set(serves FALSE)
  string(REPLACE "." "" gpu "${capability}")
  string(REGEX REPLACE ".$" "" major "${gpu}")
  foreach(arch IN LISTS ARGN)
    if(arch MATCHES "^(([0-9]+)[0-9])([af]?)(-real|-virtual)?$" AND NOT CMAKE_MATCH_1 GREATER gpu)
      if((NOT CMAKE_MATCH_3 STREQUAL "a" AND CMAKE_MATCH_2 EQUAL major) OR CMAKE_MATCH_1 EQUAL gpu
         OR (CMAKE_MATCH_3 STREQUAL "" AND NOT CMAKE_MATCH_4 STREQUAL "-real"))
        set(serves TRUE)
      endif()
    endif()
  endforeach()
  set(${out} ${serves} PARENT_SCOPE)
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
    get_property(scope TARGET ${target} PROPERTY _CAG_SCOPE)
    _cag_json_text(name "${target}")
    _cag_json_text(folder "${folder}")
    _cag_json_text(by "${by}")
    if("${type}" STREQUAL "OBJECT_LIBRARY")
      set(file null)
    else()
      set(file "\"$<TARGET_FILE:${target}>\"")
    endif()
    string(APPEND row "    {\"name\": ${name}, \"type\": \"${type}\", \"directory\": ${folder},\n     \"file\": ${file},\n")
    foreach(field IN ITEMS REQUESTED EFFECTIVE DROPPED NOTES REQUIRE_SASS REQUIRE_PTX REQUIRE_RUNS_ON REQUIRE_LAB REQUIRE_MACHINES)
      string(TOLOWER "${field}" key)
      if("${scope}" STREQUAL "any")
        string(REGEX REPLACE "^REQUIRE_(SASS|PTX)$" "SOMEWHERE_\\1" field "${field}")
      endif()
      get_property(values TARGET ${target} PROPERTY _CAG_${field})
      list(REMOVE_DUPLICATES values)
      _cag_json_texts(values ${values})
      string(APPEND row "     \"${key}\": ${values},\n")
    endforeach()
    if("${driver}" STREQUAL "")
      set(driver null)
    else()
      _cag_json_text(driver "${driver}")
    endif()
    string(APPEND row "     \"scope\": \"${scope}\", \"driver\": ${driver}, \"verify\": \"${mode}\", \"decided_by\": ${by}}")
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
