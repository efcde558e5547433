#[=======================================================================[.rst:
cuda_fatbin_verify
------------------

Verifies what a build makes or uses, without deciding how it is compiled:

.. code-block:: cmake

  cuda_fatbin_verify(<target>... | FILE <path> | DIRECTORY <path>
                     [ARCHS <spec>...] [GPUS <gpu>...] [DRIVER <version>]
                     [LAB <file>] [MACHINES <name>...]
                     [VERIFY ERROR|WARN|OFF] [NAME <name>] [ALLOW_EMPTY])

A target of this project is verified by its own build and deleted when it is rejected. An imported target, a ``FILE`` and a ``DIRECTORY`` are
verified by a target of their own (``NAME``, part of ``ALL``) and never deleted: an imported target and a file when they or the
requirement change, a directory in every build. ``FILE`` and ``DIRECTORY`` may be generator expressions.

``ARCHS``
  Images that must be there, exactly: ``80`` SASS and PTX, ``80-real`` SASS, ``compute_80`` PTX; spellings as in
  :command:`cuda_archs_resolve`.
``GPUS``, ``DRIVER``, ``LAB``, ``MACHINES``, ``VERIFY``
  As in :command:`cuda_fatbin_targets`; GPUs and machines need not have an image of their own, every kernel must run there.
``ALLOW_EMPTY``
  A file without any device code is fine: nothing in it can fail on a GPU. Left out: nothing was verified then, which is no pass.

Without ``ARCHS``, ``GPUS``, ``LAB`` and ``MACHINES`` the requirement comes from where :command:`cuda_fatbin_targets` takes it.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_targets.cmake")

function(cuda_fatbin_verify)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_verify")
  _cag_parse_subject(arg cuda_fatbin_verify ${ARGV})
  _cag_verify_mode(mode cuda_fatbin_verify "${arg_VERIFY}")
  if("${mode}" STREQUAL "OFF")
    return()
  endif()
  string(REPLACE ALLOW_EMPTY --allow-empty allow_empty "${arg_ALLOW_EMPTY}")
  _cag_requirement(require cuda_fatbin_verify ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES} DRIVER
                   "${arg_DRIVER}")

  foreach(name IN LISTS arg_TARGETS)
    _cag_real_target(target cuda_fatbin_verify "${name}")
    get_target_property(imported ${target} IMPORTED)
    if(imported)
      string(REPLACE "::" "-" name "verify-${target}")
      _cag_verify_file("${name}" "$<TARGET_FILE:${target}>")
    else()
      _cag_refuse_unbuilt(${target})
      _cag_require(${target} ${require_ALL} DRIVER "${arg_DRIVER}" MODE ${mode} ${arg_ALLOW_EMPTY})
      _cag_attach(${target} cuda_fatbin_verify)
      _cag_record(${target} REQUESTED ${require_SPECS} DECIDED_BY "${require_BY}")
    endif()
  endforeach()
  foreach(path IN ITEMS ${arg_FILE} ${arg_DIRECTORY})
    if(NOT path MATCHES "^\\$<")
      get_filename_component(path "${path}" ABSOLUTE)
    endif()
    string(MD5 hash "${path}|${require_ALL}")
    string(SUBSTRING ${hash} 0 8 hash)
    set(name "verify-${hash}")
    if(arg_NAME)
      set(name "${arg_NAME}")
    endif()
    _cag_verify_file("${name}" "${path}")
  endforeach()
endfunction()

# A macro: it reads what cuda_fatbin_verify knows.
macro(_cag_verify_file name path)
  _cag_verifier(verifier cuda_fatbin_verify)
  _cag_verify_options(options ${require_ALL} DRIVER "${arg_DRIVER}")
  list(APPEND options ${allow_empty})
  set(common VERIFIER "${verifier}" MODE ${mode} WHAT "${path}" OPTIONS ${options} FILES "${path}")
  if(arg_DIRECTORY)
    _cag_verify_command(command ${common})
    add_custom_target(
      ${name} ALL
      COMMAND ${command}
      COMMENT "Verifying the GPU architectures below ${path}"
      VERBATIM COMMAND_EXPAND_LISTS)
  else()
    _cag_verify_by_stamp(${name} ALL "${path}" "${mode};${options}" ${common})
  endif()
endmacro()

# _cag_parse_subject(<prefix> <function> <argument>...): the arguments that cuda_fatbin_verify and cuda_fatbin_test share.
function(_cag_parse_subject prefix function)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ALLOW_EMPTY" "FILE;DIRECTORY;DRIVER;LAB;VERIFY;NAME" "ARCHS;GPUS;MACHINES")
  _cag_refuse_missing_values(${function} "<target>... | FILE <path> | DIRECTORY <path>, and keywords with their values")
  set(subjects ${arg_UNPARSED_ARGUMENTS} ${arg_FILE} ${arg_DIRECTORY})
  list(LENGTH subjects count)
  set(mixed FALSE)
  if((arg_UNPARSED_ARGUMENTS AND (arg_FILE OR arg_DIRECTORY)) OR (arg_FILE AND arg_DIRECTORY))
    set(mixed TRUE)
  endif()
  if(count EQUAL 0 OR mixed)
    list(JOIN subjects ", " found)
    _cag_refusal(text EXPECTED "what to verify" FOUND "\"${found}\"" ALLOWED
                 "targets, or FILE <path>, or DIRECTORY <path>, one of the three" FIX "name targets, or FILE or DIRECTORY with a path")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
  foreach(field IN ITEMS FILE DIRECTORY DRIVER LAB VERIFY NAME ARCHS GPUS MACHINES)
    set(${prefix}_${field} "${arg_${field}}" PARENT_SCOPE)
  endforeach()
  set(allow_empty "")
  if(arg_ALLOW_EMPTY)
    set(allow_empty ALLOW_EMPTY)
  endif()
  set(${prefix}_ALLOW_EMPTY "${allow_empty}" PARENT_SCOPE)
  set(${prefix}_TARGETS "${arg_UNPARSED_ARGUMENTS}" PARENT_SCOPE)
endfunction()

# What must be there, of files that any toolkit may have built.
#
# _cag_requirement(<prefix> <function> ARCHS [spec...] GPUS [gpu...] LAB <file> MACHINES [name...] DRIVER <version>) sets <prefix>_ALL (arguments of
# _cag_verify_options), <prefix>_SPECS and <prefix>_BY.
function(_cag_requirement prefix function)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LAB;DRIVER" "ARCHS;GPUS;MACHINES")
  _cag_refuse_driver(${function} "${arg_DRIVER}")
  _cag_decide(who ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES})
  if(arg_DRIVER AND "${who_GPUS}" STREQUAL "")
    _cag_refusal(text EXPECTED "GPUS beside DRIVER, since which image a driver takes is a matter of the GPU" FOUND
                 "DRIVER ${arg_DRIVER} alone" ALLOWED "GPUS with a DRIVER, or neither" FIX "name the GPUs, or remove DRIVER")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
  foreach(gpu IN LISTS who_GPUS)
    _cag_gpu_capability(capability why "${gpu}")
    if(why)
      string(REGEX REPLACE "\\. Allowed: .*" "" why "${why}")
      _cag_refusal(text EXPECTED "GPUs" FOUND "${why}" ALLOWED "9.0, sm_90, a product (RTX 4090), native" FIX
                   "correct the name, or write the compute capability (nvidia-smi --query-gpu=compute_cap --format=csv)")
      message(FATAL_ERROR "${function}: the GPUs are from ${who_REQUIRE_BY}\n${text}")
    endif()
  endforeach()
  set(done_REAL "")
  set(done_VIRTUAL "")
  if(NOT "${who_ARCHS}" STREQUAL "") # GPUs and machines must run, by whatever image
    _cag_resolve_here(done SPECS ${who_ARCHS} ANY_TOOLKIT LAB "${who_LAB_FILE}")
    _cag_stop_or_say(${function} "${who_REQUIRE_BY}" "${done_ERROR}" "${done_WARNINGS}")
  endif()
  if("${done_REAL}${done_VIRTUAL}${who_GPUS}${who_LAB}" STREQUAL "")
    _cag_refusal(
      text EXPECTED "a requirement" FOUND "machines on which programs should run, and need not" ALLOWED
      "architectures, GPUs, or machines that must run" FIX "name a machine or group whose requirement in ${who_LAB_FILE} is must")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
  set(${prefix}_ALL SASS ${done_REAL} PTX ${done_VIRTUAL} RUNS_ON ${who_GPUS} LAB "${who_LAB}" MACHINES ${who_MACHINES} PARENT_SCOPE)
  set(${prefix}_SPECS "${who_REQUIRE}" PARENT_SCOPE)
  set(${prefix}_BY "${who_REQUIRE_BY}" PARENT_SCOPE)
endfunction()
