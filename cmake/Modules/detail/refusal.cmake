# The four parts of every message about a user's mistake.
include_guard(GLOBAL)

# _cag_refusal(<out-var> EXPECTED <text> FOUND <text> ALLOWED <text> FIX <text>)
function(_cag_refusal out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPECTED;FOUND;ALLOWED;FIX" "")
  set(${out} "  expected: ${arg_EXPECTED}\n  found:    ${arg_FOUND}\n  allowed:  ${arg_ALLOWED}\n  fix:      ${arg_FIX}" PARENT_SCOPE)
endfunction()

# Stops when a function was given arguments that it does not know.
#
# _cag_refuse_leftovers(<function> <signature> [argument...])
function(_cag_refuse_leftovers function signature)
  if(ARGN)
    list(JOIN ARGN " " found)
    _cag_refusal(text EXPECTED "the arguments of ${function}" FOUND "\"${found}\", which none of its keywords takes" ALLOWED "${signature}"
                 FIX "correct the keyword's spelling, or remove \"${found}\"")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
endfunction()

# Stops when a keyword has nothing behind it, or an empty text. A macro: it reads what cmake_parse_arguments(... arg ...) left.
#
# _cag_refuse_missing_values(<function> <signature>)
macro(_cag_refuse_missing_values function signature)
  foreach(keyword IN ITEMS ARCHS GPUS MACHINES PTX)
    if(DEFINED arg_${keyword} AND "${arg_${keyword}}" STREQUAL "")
      list(APPEND arg_KEYWORDS_MISSING_VALUES ${keyword})
    endif()
  endforeach()
  if(arg_KEYWORDS_MISSING_VALUES)
    list(JOIN arg_KEYWORDS_MISSING_VALUES ", " missing)
    _cag_refusal(text EXPECTED "a value behind ${missing}" FOUND "none (an empty variable?)" ALLOWED "${signature}" FIX
                 "give ${missing} a value, or leave the keyword out")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
endmacro()

# Stops when DRIVER is no driver. A generator expression is left to the build.
#
# _cag_refuse_driver(<function> <driver>)
function(_cag_refuse_driver function driver)
  string(TOLOWER "${driver}" lower)
  if(NOT "${lower}" MATCHES "^(r?[0-9][0-9.]*([+]cuda-compat:[0-9]+[.][0-9]+)?|cuda[: ]*[0-9]+[.][0-9]+|local|.*[$]<.*)?$")
    _cag_refusal(
      text EXPECTED "a driver" FOUND "DRIVER ${driver}" ALLOWED "580, 580.159.04, cuda:13.0 (the newest CUDA that it supports), local" FIX
      "write the version that nvidia-smi --query-gpu=driver_version --format=csv says on the machine")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
endfunction()

# Stops when a keyword's value is none of the allowed ones.
#
# _cag_refuse_value(<function> <keyword> <value> <allowed>...)
function(_cag_refuse_value function keyword value)
  if(NOT value IN_LIST ARGN)
    list(JOIN ARGN ", " allowed)
    list(GET ARGN 0 first)
    _cag_refusal(text EXPECTED "a value of ${keyword}" FOUND "\"${value}\"" ALLOWED "${allowed}" FIX "write ${keyword} ${first}")
    message(FATAL_ERROR "${function}:\n${text}")
  endif()
endfunction()
