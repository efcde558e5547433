#[=======================================================================[.rst:
cuda_fatbin_test
----------------

The gate of :command:`cuda_fatbin_verify` as a CTest test with the label ``cuda-arch-guard``:

.. code-block:: cmake

  cuda_fatbin_test(<target>... | FILE <path> | DIRECTORY <path>
                   [ARCHS <spec>...] [GPUS <gpu>...] [DRIVER <version>]
                   [LAB <file>] [MACHINES <name>...]
                   [NAME <name>])

The test is called ``cuda-arch-guard.<target>`` or ``cuda-arch-guard.<file name>`` unless ``NAME`` says otherwise. A target that
:command:`cuda_fatbin_targets` knows is held to what that call requires when none of ``ARCHS``, ``GPUS``, ``LAB`` and ``MACHINES`` is given. ``DIRECTORY`` suits an
install tree.
#]=======================================================================]
include_guard(GLOBAL)

function(cuda_fatbin_test)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_test")
  _cag_parse_subject(arg cuda_fatbin_test ${ARGV})
  if(NOT "${arg_VERIFY}${arg_ALLOW_EMPTY}" STREQUAL "")
    _cag_refuse_leftovers(cuda_fatbin_test "cuda_fatbin_verify's arguments without VERIFY and ALLOW_EMPTY" VERIFY ${arg_VERIFY}
                          ${arg_ALLOW_EMPTY})
  endif()
  foreach(name IN LISTS arg_TARGETS)
    _cag_real_target(target cuda_fatbin_test "${name}")
    set(test cuda-arch-guard.${target})
    if(arg_NAME)
      set(test "${arg_NAME}")
    endif()
    get_property(
      known
      TARGET ${target}
      PROPERTY _CAG_VERIFY_OPTIONS
      SET)
    if(known AND "${arg_ARCHS}${arg_GPUS}${arg_LAB}${arg_MACHINES}${arg_DRIVER}" STREQUAL "")
      _cag_add_test("${test}" ${target})
    else()
      _cag_requirement(require cuda_fatbin_test ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES} DRIVER
                       "${arg_DRIVER}")
      _cag_verify_options(options ${require_ALL} DRIVER "${arg_DRIVER}")
      _cag_add_test("${test}" ${target} ${options})
    endif()
  endforeach()
  foreach(path IN ITEMS ${arg_FILE} ${arg_DIRECTORY})
    get_filename_component(test "${path}" NAME)
    set(test cuda-arch-guard.${test})
    if(arg_NAME)
      set(test "${arg_NAME}")
    endif()
    _cag_requirement(require cuda_fatbin_test ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES} DRIVER
                     "${arg_DRIVER}")
    _cag_verify_options(options ${require_ALL} DRIVER "${arg_DRIVER}")
    if(NOT path MATCHES "^\\$<")
      get_filename_component(path "${path}" ABSOLUTE)
    endif()
    _cag_verifier(verifier cuda_fatbin_test)
    set_property(GLOBAL APPEND PROPERTY _CAG_TESTS "${test}")
    add_test(NAME "${test}" COMMAND "${verifier}" verify ${options} "${path}")
    _cag_set_test_properties("${test}")
  endforeach()
endfunction()

# _cag_add_test(<name> <target> [option...]): without options, the target's own requirement.
function(_cag_add_test name target)
  if(TEST "${name}")
    return()
  endif()
  set(options ${ARGN})
  if(NOT options)
    set(options "$<TARGET_PROPERTY:${target},_CAG_VERIFY_OPTIONS>")
  endif()
  set(file "$<TARGET_FILE:${target}>")
  get_target_property(type ${target} TYPE)
  if("${type}" STREQUAL "OBJECT_LIBRARY")
    set(file "$<TARGET_OBJECTS:${target}>")
  endif()
  _cag_verifier(verifier cuda_fatbin_test)
  set_property(GLOBAL APPEND PROPERTY _CAG_TESTS "${name}")
  add_test(NAME "${name}" COMMAND "${verifier}" verify "${options}" "${file}" COMMAND_EXPAND_LISTS)
  _cag_set_test_properties("${name}")
endfunction()

function(_cag_set_test_properties name)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/detail/environment.cmake")
  list(TRANSFORM _CAG_DECIDING_VARIABLES APPEND "=unset:")
  set_tests_properties("${name}" PROPERTIES LABELS cuda-arch-guard ENVIRONMENT_MODIFICATION "${_CAG_DECIDING_VARIABLES}")
endfunction()
