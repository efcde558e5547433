#[=======================================================================[.rst:
cuda_fatbin_sources
-------------------

Adds sources to a target with other architectures than the rest of it:

.. code-block:: cmake

  cuda_fatbin_sources(<target> SOURCES <file>... ARCHS <spec>...
                      [PTX AUTO|NONE|<arch>...] [ON_UNSUPPORTED ERROR|DROP])

For kernels that exist for some GPUs only, chosen at run time by the program. One object library a set of architectures compiles them, with
the include directories, definitions, options, features and libraries of the target; several calls with one set share it. The object
library is verified for its own set; the whole target for what all its sets have in common, where sets of ``a`` or ``f`` targets alone are
specialised by intent and take nothing away. Where the sets have nothing in common, each must be in the whole target somewhere. ``PTX`` is as the specs say when it is left out.

Relocatable device code becomes one program in the device link, whatever its sets are: one that lacks an architecture of the target is rejected.

Call :command:`cuda_fatbin_targets` for the target itself first, unless its ``CUDA_ARCHITECTURES`` is ``OFF``: then every ``.cu`` file must come
through this function.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_targets.cmake")

function(cuda_fatbin_sources target)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_sources")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ON_UNSUPPORTED" "SOURCES;ARCHS;PTX")
  set(signature "<target> SOURCES <file>... ARCHS <spec>... [PTX AUTO|NONE|<arch>...] [ON_UNSUPPORTED ERROR|DROP]")
  _cag_refuse_leftovers(cuda_fatbin_sources "${signature}" ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_SOURCES OR NOT arg_ARCHS)
    _cag_refusal(text EXPECTED "SOURCES and ARCHS" FOUND "SOURCES \"${arg_SOURCES}\", ARCHS \"${arg_ARCHS}\"" ALLOWED "${signature}" FIX
                 "name the files and their architectures")
    message(FATAL_ERROR "cuda_fatbin_sources:\n${text}")
  endif()
  if(NOT DEFINED arg_ON_UNSUPPORTED)
    set(arg_ON_UNSUPPORTED ERROR)
  endif()
  _cag_refuse_value(cuda_fatbin_sources ON_UNSUPPORTED "${arg_ON_UNSUPPORTED}" ERROR DROP)
  _cag_real_target(target cuda_fatbin_sources "${target}")
  _cag_refuse_unbuilt(${target})
  _cag_resolve_here(set SPECS ${arg_ARCHS} ON_UNSUPPORTED ${arg_ON_UNSUPPORTED} PTX ${arg_PTX})
  _cag_stop_or_say(cuda_fatbin_sources "the call's arguments" "${set_ERROR}" "${set_WARNINGS}")

  list(JOIN set_CMAKE "_" suffix)
  set(objects ${target}_${suffix})
  if(NOT TARGET ${objects})
    _cag_object_library(${objects} ${target})
    _cag_build_archs(${objects} REAL ${set_REAL} PTX ${set_VIRTUAL})
    get_property(mode TARGET ${target} PROPERTY _CAG_MODE)
    if("${mode}" STREQUAL "")
      _cag_verify_mode(mode cuda_fatbin_sources "")
    endif()
    _cag_require(${objects} SASS ${set_REAL} PTX ${set_VIRTUAL} RUNS_ON "" DRIVER "" MODE ${mode})
    if(NOT "${mode}" STREQUAL "OFF")
      _cag_attach(${objects} cuda_fatbin_sources)
    endif()
    _cag_record(${objects} REQUESTED ${arg_ARCHS} DECIDED_BY "the call's arguments" DROPPED ${set_DROPPED} NOTES ${set_NOTES})
    set_property(TARGET ${target} APPEND PROPERTY _CAG_SETS ${objects})
    _cag_narrow_requirement(${target} SASS ${set_REAL} PTX ${set_VIRTUAL} MODE ${mode})
    get_property(effective TARGET ${target} PROPERTY _CAG_EFFECTIVE)
    if("${effective}" STREQUAL "") # CUDA_ARCHITECTURES OFF: nobody else names it
      _cag_record(${target} REQUESTED ${arg_ARCHS} DECIDED_BY "its cuda_fatbin_sources() calls")
      if(NOT "${mode}" STREQUAL "OFF")
        _cag_attach(${target} cuda_fatbin_sources)
      endif()
    endif()
  endif()
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "^\\$<")
      get_filename_component(source "${source}" ABSOLUTE)
    endif()
    target_sources(${objects} PRIVATE "${source}")
  endforeach()
endfunction()

# An object library that compiles as the target does, and whose objects become the target's.
function(_cag_object_library objects target)
  add_library(${objects} OBJECT)
  foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES)
    set_property(TARGET ${objects} PROPERTY ${property} "$<TARGET_PROPERTY:${target},${property}>")
  endforeach()
  # The architectures of the rest may be among the target's options.
  target_compile_options(${objects} PRIVATE "$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,EXCLUDE,^-gencode=>")
  # Copied at the end of the directory, since the target's own may come later. EVAL: a deferred call sees variables only then.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _cag_copy_properties [[${objects}]] [[${target}]])")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

function(_cag_copy_properties objects target)
  foreach(property IN
          ITEMS CUDA_STANDARD CUDA_STANDARD_REQUIRED CUDA_EXTENSIONS CUDA_SEPARABLE_COMPILATION CUDA_RUNTIME_LIBRARY
                POSITION_INDEPENDENT_CODE CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS CUDA_VISIBILITY_PRESET CXX_VISIBILITY_PRESET)
    get_property(
      is_set
      TARGET ${target}
      PROPERTY ${property}
      SET)
    if(is_set)
      get_target_property(value ${target} ${property})
      set_property(TARGET ${objects} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  get_target_property(type ${target} TYPE)
  get_property(
    pic_is_set
    TARGET ${target}
    PROPERTY POSITION_INDEPENDENT_CODE
    SET)
  if(type MATCHES "SHARED|MODULE" AND NOT pic_is_set)
    set_property(TARGET ${objects} PROPERTY POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# The whole target holds what all its sets hold; where that is nothing, each set is in it somewhere.
function(_cag_narrow_requirement target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODE" "SASS;PTX")
  set(plain ${arg_SASS} ${arg_PTX})
  list(FILTER plain EXCLUDE REGEX "[af]$")
  foreach(field IN ITEMS SASS PTX)
    get_property(required TARGET ${target} PROPERTY _CAG_REQUIRE_${field})
    set_property(TARGET ${target} APPEND PROPERTY _CAG_SOMEWHERE_${field} ${required} ${arg_${field}})
    set(common "")
    foreach(arch IN LISTS required)
      if(arch IN_LIST arg_${field} OR NOT plain)
        list(APPEND common ${arch})
      endif()
    endforeach()
    set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_${field} "${common}")
  endforeach()
  # What is left of the PTX is as if named: PTX AUTO of the rest must not come back.
  get_property(left TARGET ${target} PROPERTY _CAG_REQUIRE_PTX)
  set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_NAMED_PTX "${left}")
  set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_NAMED_AUTO_PTX_OF "")
  _cag_require(${target} SASS "" PTX "" RUNS_ON "" DRIVER "" MODE "${arg_MODE}")
endfunction()
