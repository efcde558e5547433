# What a target must hold, and the verification that its build runs.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_targets.cmake")

# An empty value of a keyword (DRIVER "") means the same as no keyword; CMake 3.31 asks which is meant.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

# _cag_real_target(<out-var> <function> <name>): the target itself behind an alias; stops where there is none.
function(_cag_real_target out function name)
  if(NOT TARGET "${name}")
    _cag_refusal(
      text EXPECTED "the name of a target" FOUND "\"${name}\", which is none so far" ALLOWED
      "a target made by add_executable() or add_library()" FIX
      "call ${function}() after the target is made, or correct the name or keyword")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
  get_target_property(aliased "${name}" ALIASED_TARGET)
  if(aliased)
    set(name "${aliased}")
  endif()
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

# Adds to what is required of a target; several calls add up.
#
# _cag_require(<target> SASS [arch...] PTX [arch...] [AUTO_PTX_OF arch...] RUNS_ON [gpu...] DRIVER <driver> LAB <file> MACHINES [name...]
#              MODE ERROR|WARN|OFF [ALLOW_EMPTY])
function(_cag_require target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALLOW_EMPTY" "DRIVER;LAB;MODE" "SASS;PTX;AUTO_PTX_OF;RUNS_ON;MACHINES")
  _cag_add_ptx(PTX note ${target} REQUIRE PTX ${arg_PTX} AUTO_PTX_OF ${arg_AUTO_PTX_OF})
  set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_PTX "${PTX}")
  foreach(field IN ITEMS SASS RUNS_ON)
    set_property(TARGET ${target} APPEND PROPERTY _CAG_REQUIRE_${field} ${arg_${field}})
    get_property(${field} TARGET ${target} PROPERTY _CAG_REQUIRE_${field})
    list(REMOVE_DUPLICATES ${field})
    if("${field}" STREQUAL "SASS")
      _cag_drop_plain_beside_family(SASS notes)
    endif()
    set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_${field} "${${field}}")
  endforeach()
  get_property(driver TARGET ${target} PROPERTY _CAG_DRIVER)
  if(NOT "${arg_DRIVER}" STREQUAL "")
    if(NOT "${driver}" STREQUAL "" AND NOT "${driver}" STREQUAL "${arg_DRIVER}")
      _cag_refusal(text EXPECTED "one driver for a target" FOUND "DRIVER ${driver} in an earlier call and DRIVER ${arg_DRIVER} now" ALLOWED
                   "one DRIVER a target" FIX "keep the older of both drivers, which the newer ones can do more than")
      message(FATAL_ERROR "${target}:\n${text}")
    endif()
    set(driver "${arg_DRIVER}")
    set_property(TARGET ${target} PROPERTY _CAG_DRIVER "${driver}")
  endif()
  _cag_require_lab(lab machines ${target} "${arg_LAB}" ${arg_MACHINES})
  # The strictest call decides; OFF of one call does not switch off another's.
  get_property(mode TARGET ${target} PROPERTY _CAG_MODE)
  if(NOT "${mode}" STREQUAL "ERROR" AND NOT ("${mode}" STREQUAL "WARN" AND "${arg_MODE}" STREQUAL "OFF"))
    set_property(TARGET ${target} PROPERTY _CAG_MODE "${arg_MODE}")
  endif()
  _cag_verify_options(options SASS ${SASS} PTX ${PTX} RUNS_ON ${RUNS_ON} DRIVER "${driver}" LAB "${lab}" MACHINES ${machines})
  set(scope every)
  if("${options}" STREQUAL "") # sets of sources that have nothing in common
    foreach(field IN ITEMS SASS PTX)
      get_property(${field} TARGET ${target} PROPERTY _CAG_SOMEWHERE_${field})
      _cag_sort_archs(${field} ${${field}})
    endforeach()
    _cag_verify_options(options SASS ${SASS} PTX ${PTX})
    set(scope any)
    list(APPEND options --scope any)
  endif()
  set_property(TARGET ${target} PROPERTY _CAG_SCOPE ${scope})
  if(arg_ALLOW_EMPTY)
    list(APPEND options --allow-empty)
  endif()
  set_property(TARGET ${target} PROPERTY _CAG_VERIFY_OPTIONS "${options}")
endfunction()

# The verifier excuses a module of nothing but `a` or `f` images: who wrote it had one GPU in mind, and the program takes another module
# elsewhere. Where all device code of a target is compiled for one list there is no other module, and nothing is excused. Called when all is
# linked that will be.
function(_cag_excuse_nothing target)
  get_property(archs TARGET ${target} PROPERTY _CAG_EFFECTIVE)
  get_property(sets TARGET ${target} PROPERTY _CAG_SETS)
  _cag_taken_in(members ${target})
  set(one_list TRUE)
  if("${archs}" STREQUAL "" OR sets)
    set(one_list FALSE)
  endif()
  foreach(member IN LISTS members)
    get_target_property(imported ${member} IMPORTED)
    get_property(other TARGET ${member} PROPERTY _CAG_EFFECTIVE)
    _cag_own_cuda_sources(sources ${member})
    if(imported OR (sources AND NOT "${other}" STREQUAL "${archs}"))
      set(one_list FALSE)
    endif()
  endforeach()
  foreach(linked IN ITEMS ${target} ${members})
    get_property(libraries TARGET ${linked} PROPERTY LINK_LIBRARIES)
    foreach(library IN LISTS libraries)
      if(NOT TARGET "${library}" AND "${library}" MATCHES "\\.(a|o|lib|obj)$|^-l|^[A-Za-z0-9_.]")
        set(one_list FALSE) # whatever is in there
      endif()
    endforeach()
  endforeach()
  if(one_list)
    set_property(TARGET ${target} APPEND PROPERTY _CAG_VERIFY_OPTIONS --strict)
  endif()
endfunction()

# The machines of several calls add up; a call that names none means the whole lab.
#
# _cag_require_lab(<out-lab> <out-machines> <target> <file> [name...])
function(_cag_require_lab out_lab out_machines target lab)
  get_property(earlier TARGET ${target} PROPERTY _CAG_REQUIRE_LAB)
  get_property(machines TARGET ${target} PROPERTY _CAG_REQUIRE_MACHINES)
  if("${lab}" STREQUAL "")
    set(lab "${earlier}")
  elseif("${earlier}" STREQUAL "")
    set(machines ${ARGN})
  elseif(NOT "${earlier}" STREQUAL "${lab}")
    _cag_refusal(text EXPECTED "one lab for a target" FOUND "LAB ${earlier} in an earlier call and LAB ${lab} now" ALLOWED
                 "one LAB a target" FIX "declare the machines of both in one lab file")
    message(FATAL_ERROR "${target}:\n${text}")
  elseif("${machines}" STREQUAL "" OR "${ARGN}" STREQUAL "")
    set(machines "")
  else()
    list(APPEND machines ${ARGN})
    list(REMOVE_DUPLICATES machines)
  endif()
  set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_LAB "${lab}")
  set_property(TARGET ${target} PROPERTY _CAG_REQUIRE_MACHINES "${machines}")
  set(${out_lab} "${lab}" PARENT_SCOPE)
  set(${out_machines} "${machines}" PARENT_SCOPE)
endfunction()

# Makes the target's build run the verifier, once a target. The requirement is read from the target's properties when the build files
# are written, and stands in the command line: whoever changes it gets the target linked, and so verified, again.
#
# _cag_attach(<target> <function>)
function(_cag_attach target function)
  get_property(attached TARGET ${target} PROPERTY _CAG_ATTACHED)
  if(attached)
    return()
  endif()
  set_property(TARGET ${target} PROPERTY _CAG_ATTACHED TRUE)
  _cag_verifier(verifier ${function})
  get_target_property(type ${target} TYPE)
  get_target_property(folder ${target} BINARY_DIR)
  set(file "$<TARGET_FILE:${target}>")
  if("${type}" STREQUAL "OBJECT_LIBRARY")
    set(file "$<TARGET_OBJECTS:${target}>")
  endif()
  set(common VERIFIER "${verifier}" MODE "$<TARGET_PROPERTY:${target},_CAG_MODE>" DELETE WHAT "target ${target}" OPTIONS
             "$<TARGET_PROPERTY:${target},_CAG_VERIFY_OPTIONS>" FILES "${file}")
  if("${folder}" STREQUAL "${CMAKE_CURRENT_BINARY_DIR}" AND NOT "${type}" STREQUAL "OBJECT_LIBRARY")
    _cag_verify_command(command ${common})
    add_custom_command(
      TARGET ${target}
      POST_BUILD
      COMMAND ${command}
      COMMENT "Verifying the GPU architectures of ${target}"
      VERBATIM COMMAND_EXPAND_LISTS)
  else()
    # CMake allows POST_BUILD only in the target's own directory, and for object libraries nowhere.
    set(all ALL)
    get_property(apart TARGET ${target} PROPERTY _CAG_NOT_IN_ALL)
    if(apart)
      set(all "")
    endif()
    _cag_verify_by_stamp(verify-${target} "${all}" "${file}"
                         "$<TARGET_PROPERTY:${target},_CAG_MODE>;$<TARGET_PROPERTY:${target},_CAG_VERIFY_OPTIONS>" ${common})
    add_dependencies(verify-${target} ${target})
  endif()
endfunction()

# A target of its own, part of ALL or not, that verifies files when they or the requirement (any text) change.
#
# _cag_verify_by_stamp(<name> ALL|"" <depends> <requirement> <arguments of _cag_verify_command>...)
function(_cag_verify_by_stamp name all depends requirement)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cuda-arch-guard/${name}")
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi)
    string(APPEND base "-$<CONFIG>")
  endif()
  # Make does not notice a changed command line; a changed file it does.
  file(GENERATE OUTPUT "${base}.requirement" CONTENT "${requirement}\n")
  _cag_verify_command(command ${ARGN} STAMP "${base}.verified")
  add_custom_command(
    OUTPUT "${base}.verified"
    COMMAND ${command}
    DEPENDS "${depends}" "${base}.requirement"
    COMMENT "Verifying the GPU architectures (${name})"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${name} ${all} DEPENDS "${base}.verified")
endfunction()
