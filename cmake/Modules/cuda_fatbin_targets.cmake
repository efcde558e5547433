#[=======================================================================[.rst:
cuda_fatbin_targets
-------------------

Builds targets for the GPUs that they must run on, and rejects what falls short:

.. code-block:: cmake

  cuda_fatbin_targets(<target>...
                      [ARCHS <spec>...] [GPUS <gpu>...]
                      [LAB <file>] [MACHINES <name>...]
                      [PTX AUTO|NONE|<arch>...] [DRIVER <version>]
                      [VERIFY ERROR|WARN|OFF] [ON_UNSUPPORTED ERROR|DROP]
                      [TEST])

Sets the architectures for compiling and for the device link of executables and of shared, module, static and object libraries, and adds a
verification to the build of each: the program ``cuda-arch-guard`` reads the binary, kernel by kernel. What it rejects is deleted, the build
fails, and the next build tries again. Several calls for one target add up.

``ARCHS``
  Architectures, in any spelling of :command:`cuda_archs_resolve`.
``GPUS``
  GPUs on which every kernel must run: ``9.0``, ``sm_90``, a product (``"RTX 4090"``), ``native``. SASS is built for each.
``LAB``, ``MACHINES``
  Machines and groups of a lab file (docs/lab.md), each with its driver; all machines of the lab where ``MACHINES`` is left out, and the lab of
  ``CUDA_ARCH_GUARD_LAB``, else ``lab.json`` beside the top ``CMakeLists.txt``, where ``LAB`` is. SASS is built for each. A GPU that the toolkit
  does not build is left out, which is printed, where programs *should* run there and need not.
``PTX``
  ``AUTO`` (default): one PTX image of the highest plain target (of all calls for the target), the fallback for GPUs not yet built, unless PTX
  of its major is there anyway. ``NONE`` or a list: instead of the PTX that bare numbers and names bring.
``DRIVER``
  The driver with which the ``GPUS`` must run: ``580``, ``580.159.04``, ``cuda:13.0``. Left out: the newest known for each.
``VERIFY``
  ``ERROR`` (default; the cache variable ``CUDA_ARCH_GUARD_VERIFY`` changes it) rejects, ``WARN`` says it and goes on, ``OFF`` does
  nothing.
``ON_UNSUPPORTED``
  A target that the toolkit does not build is an ``ERROR`` (default), or left out (``DROP``), which is printed.
``TEST``
  Also registers the verification as a CTest test with the label ``cuda-arch-guard``.

Without ``ARCHS``, ``GPUS``, ``LAB`` and ``MACHINES`` decide, in this order: ``CMAKE_CUDA_ARCHITECTURES`` where a person set it, ``CUDAARCHS``,
the cache variables ``CUDA_ARCH_GUARD_ARCHS``, ``_GPUS``, ``_LAB`` and ``_MACHINES``, the GPUs of this machine. Where the user gives
``-D CMAKE_CUDA_ARCHITECTURES`` and the call has arguments, the user's list is built, and what the call asks for is still required; where the call
has none, that list must run on the GPUs and machines of the cache variables. The end of the configuration says for each target what was requested,
what is built, and who decided.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_archs_resolve.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_test.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/flags.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/decide.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/verifier.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/attach.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/build_archs.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/detail/summary.cmake")

function(cuda_fatbin_targets)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_targets")
  cmake_parse_arguments(PARSE_ARGV 0 arg "TEST" "DRIVER;VERIFY;ON_UNSUPPORTED;LAB" "ARCHS;GPUS;PTX;MACHINES")
  set(signature
      "<target>... [ARCHS <spec>...] [GPUS <gpu>...] [LAB <file>] [MACHINES <name>...] [PTX AUTO|NONE|<arch>...] [DRIVER <version>] \
[VERIFY ERROR|WARN|OFF] [ON_UNSUPPORTED ERROR|DROP] [TEST]")
  _cag_refuse_missing_values(cuda_fatbin_targets "${signature}")
  if(NOT arg_UNPARSED_ARGUMENTS)
    _cag_refusal(text EXPECTED "one target or more" FOUND "none" ALLOWED "${signature}" FIX "name the targets first")
    message(FATAL_ERROR "cuda_fatbin_targets:\n${text}")
  endif()
  set(targets "")
  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    _cag_real_target(target cuda_fatbin_targets "${name}")
    _cag_refuse_unbuilt(${target})
    list(APPEND targets ${target})
  endforeach()
  _cag_refuse_driver(cuda_fatbin_targets "${arg_DRIVER}")
  _cag_verify_mode(mode cuda_fatbin_targets "${arg_VERIFY}")
  if(NOT DEFINED arg_ON_UNSUPPORTED)
    set(arg_ON_UNSUPPORTED ERROR)
  endif()
  _cag_refuse_value(cuda_fatbin_targets ON_UNSUPPORTED "${arg_ON_UNSUPPORTED}" ERROR DROP)

  _cag_decide(who ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES})
  set(ptx AUTO)
  if(DEFINED arg_PTX)
    set(ptx ${arg_PTX})
  elseif(who_REQUIRE_BY MATCHES "CMAKE_CUDA_ARCHITECTURES|CUDAARCHS")
    set(ptx "") # a list in CMake's own variable means exactly what it says
  endif()
  string(REGEX REPLACE "^AUTO$" AUTO_OVER_CALLS ptx "${ptx}")
  set(build_ptx "")
  if("${who_BUILD}" STREQUAL "${who_REQUIRE}")
    set(build_ptx ${ptx})
  endif()
  _cag_resolve_here(build SPECS ${who_BUILD} ON_UNSUPPORTED ${arg_ON_UNSUPPORTED} PTX ${build_ptx} LAB "${who_LAB_FILE}")
  _cag_stop_or_say(cuda_fatbin_targets "${who_BUILD_BY}" "${build_ERROR}" "${build_WARNINGS}")
  list(REMOVE_ITEM who_GPUS "" ${build_DROPPED}) # GPUs of this machine that native leaves out, with a warning
  foreach(field IN ITEMS REAL VIRTUAL AUTO_PTX_OF)
    set(require_${field} "${build_${field}}")
  endforeach()
  if(NOT "${who_BUILD}" STREQUAL "${who_REQUIRE}" AND NOT "${who_ARCHS}" STREQUAL "")
    # The user's list is built. What the call names must be there all the same, and its GPUs and machines must run, by whatever image.
    _cag_resolve_here(require SPECS ${who_ARCHS} ON_UNSUPPORTED ${arg_ON_UNSUPPORTED} PTX ${ptx} LAB "${who_LAB_FILE}")
    _cag_stop_or_say(cuda_fatbin_targets "${who_REQUIRE_BY}" "${require_ERROR}" "${require_WARNINGS}")
  endif()

  foreach(target IN LISTS targets)
    _cag_build_archs(${target} REAL ${build_REAL} PTX ${build_VIRTUAL} AUTO_PTX_OF ${build_AUTO_PTX_OF})
    _cag_require(${target} SASS ${require_REAL} PTX ${require_VIRTUAL} AUTO_PTX_OF ${require_AUTO_PTX_OF} RUNS_ON ${who_GPUS} DRIVER
                 "${arg_DRIVER}" LAB "${who_LAB}" MACHINES ${who_MACHINES} MODE ${mode})
    if(NOT "${mode}" STREQUAL "OFF")
      _cag_attach(${target} cuda_fatbin_targets)
    endif()
    _cag_record(${target} REQUESTED ${who_REQUIRE} DECIDED_BY "${who_BUILD_BY}" DROPPED ${build_DROPPED} NOTES ${build_NOTES} ${who_NOTES})
    if(arg_TEST)
      _cag_add_test(cuda-arch-guard.${target} ${target})
    endif()
  endforeach()
endfunction()

# _cag_verify_mode(<out-var> <function> <value>): VERIFY of the call, else CUDA_ARCH_GUARD_VERIFY, else ERROR.
function(_cag_verify_mode out function value)
  if("${value}" STREQUAL "")
    set(value "${CUDA_ARCH_GUARD_VERIFY}")
  endif()
  if("${value}" STREQUAL "")
    set(value ERROR)
  endif()
  _cag_refuse_value(${function} VERIFY "${value}" ERROR WARN OFF)
  set(${out} ${value} PARENT_SCOPE)
endfunction()

function(_cag_stop_or_say function whose error warnings)
  if(NOT "${error}" STREQUAL "")
    message(FATAL_ERROR "${function}: the architectures are from ${whose}\n${error}")
  endif()
  foreach(warning IN LISTS warnings)
    message(WARNING "${function}: ${warning}")
  endforeach()
endfunction()

function(_cag_refuse_unbuilt target)
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(SHARED|MODULE|STATIC|OBJECT)_LIBRARY)$")
    set(found "\"${target}\", of type ${type}")
    if(imported)
      string(APPEND found ", imported")
    endif()
    _cag_refusal(
      text EXPECTED "a target that this project builds" FOUND "${found}" ALLOWED "executables; shared, module, static and object libraries"
      FIX "use cuda_fatbin_verify(${target} ...) for what is already built, or name the targets that compile the sources")
    message(FATAL_ERROR "cuda_fatbin_targets:\n${text}")
  endif()
endfunction()
