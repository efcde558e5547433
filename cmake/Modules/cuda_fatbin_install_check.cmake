#[=======================================================================[.rst:
cuda_fatbin_install_check
-------------------------

Verifies what was installed, as the last step of ``cmake --install``:

.. code-block:: cmake

  cuda_fatbin_install_check([ARCHS <spec>...] [GPUS <gpu>...]
                            [LAB <file>] [MACHINES <name>...]
                            [DRIVER <version>] [DIRECTORY <path>]
                            [COMPONENT <name>])

Call it after the project's ``install()`` commands. ``DIRECTORY`` is below the install prefix (default: the whole prefix, which should
then hold nothing else). Where components are installed one by one, call it for each, with ``COMPONENT``. An install tree that falls short makes ``cmake --install`` fail; nothing installed is deleted. The requirement is that of
:command:`cuda_fatbin_verify`.
#]=======================================================================]
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/cuda_fatbin_verify.cmake")

function(cuda_fatbin_install_check)
  list(APPEND CMAKE_MESSAGE_CONTEXT "cuda_fatbin_install_check")
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "DRIVER;DIRECTORY;COMPONENT;LAB" "ARCHS;GPUS;MACHINES")
  set(signature
      "[ARCHS <spec>...] [GPUS <gpu>...] [LAB <file>] [MACHINES <name>...] [DRIVER <version>] [DIRECTORY <path>] [COMPONENT <name>]")
  _cag_refuse_leftovers(cuda_fatbin_install_check "${signature}" ${arg_UNPARSED_ARGUMENTS})
  _cag_refuse_missing_values(cuda_fatbin_install_check "${signature}")
  _cag_requirement(require cuda_fatbin_install_check ARCHS ${arg_ARCHS} GPUS ${arg_GPUS} LAB "${arg_LAB}" MACHINES ${arg_MACHINES} DRIVER
                   "${arg_DRIVER}")
  _cag_verify_options(options ${require_ALL} DRIVER "${arg_DRIVER}")
  _cag_verifier(verifier cuda_fatbin_install_check)
  set(folder "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${arg_DIRECTORY}")
  _cag_verify_command(command VERIFIER "${verifier}" MODE ERROR WHAT "the install tree" OPTIONS ${options} FILES "${folder}")
  set(code "execute_process(COMMAND")
  foreach(word IN LISTS command)
    string(APPEND code " \"${word}\"")
  endforeach()
  string(APPEND code " COMMAND_ERROR_IS_FATAL ANY)")
  set(component "")
  if(arg_COMPONENT)
    set(component COMPONENT "${arg_COMPONENT}")
  endif()
  install(CODE "${code}" ${component})
endfunction()
